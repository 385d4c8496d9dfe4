"""Whether the evaluation is sound: controls, swaps, what names alone answer, where distractors come from."""

from __future__ import annotations

from tellapart.contrastive.figures import MARGIN, NAMES_SUFFICE, SwapKind, gain_of_name
from tellapart.contrastive.page.view import View
from tellapart.contrastive.selection.levels import POOL
from tellapart.contrastive.selection.selectors import FUSION
from tellapart.core.comparison import ALPHA, ChanceOutcome
from tellapart.report import figures
from tellapart.report import numbers as show
from tellapart.report.comparison import words
from tellapart.report.document import Section, present
from tellapart.report.figures import interval_cell
from tellapart.report.tables import Cell, Table, table, undefined

_SHOWN = ("chance", "ratio", "n")

NO_INTERVAL = "too few files for an interval"

WITHIN = f"within {100 * MARGIN:g} % of it"
"""How near to chance a control must be."""


def section(view: View) -> Section | None:
    """Controls, and the swap test."""
    tables = present(_controls(view), _swaps(view))
    lines = ["Questions whose outcome is known beforehand show whether the evaluation itself is sound."]
    shuffled = view.report.controls.get("shuffled", {})
    if shuffled and all(control.outcome is ChanceOutcome.AT for control in shuffled.values()):
        lines.append(f"Given the summary of another unit, every model scores at chance, {WITHIN}.")
    if view.header.choices.mask_names:
        lines += ["Each unit's own name is masked in its code and summaries.", *names_alone(view)]
    return Section("checks", "Controls", " ".join(lines), tables=tables, in_terminal=True) if tables else None


def alarms(view: View) -> list[str]:
    """Say for which models it is open whether they score at chance; for the others there is a caution."""
    shuffled = view.report.controls.get("shuffled", {})
    unclear = [model for model, control in shuffled.items() if control.outcome is ChanceOutcome.UNCLEAR]
    if not unclear:
        return []
    return [
        "Control: given the summary of another unit, there are too few items to tell whether "
        f"{show.listed(unclear)} {'is' if len(unclear) == 1 else 'are'} at chance, {WITHIN}."
    ]


def _controls(view: View) -> Table | None:
    rows: list[list[Cell | str]] = []
    for condition, by_model in view.report.controls.items():
        for model in (model for model in view.models if model in by_model):
            control = by_model[model]
            by_name = condition == "identifier" and gain_of_name(control, view.report.overall[model]) or 0.0
            is_mostly_names = by_name >= NAMES_SUFFICE and not view.header.choices.mask_names
            is_known = control.interval is not None and control.chance is not None
            outcome = Cell(control.outcome.value) if is_known else undefined(NO_INTERVAL)
            rows.append(
                [
                    condition,
                    model,
                    Cell("mostly names") if is_mostly_names else outcome,
                    interval_cell("accuracy", control.value, control.interval),
                    *figures.cells(control, _SHOWN),
                ]
            )
    heads = ["Summary", "Model", "Reading", *figures.headings(["accuracy", *_SHOWN])]
    note = (
        f"shuffled: the summary of another unit, which must score at chance. At chance: {WITHIN}, by two "
        f"one-sided tests at {show.whole_percent(ALPHA)}. identifier: the words of the unit's name alone. "
        f"Mostly names: they gain {show.whole_percent(NAMES_SUFFICE)} or more of what summaries gain over "
        "guessing."
    )
    title = "Controls: questions whose answer is known beforehand"
    return table("controls", title, heads, rows, words=3, note=note) if rows else None


def _swaps(view: View) -> Table | None:
    results = view.report.swap_accuracy
    kinds = sorted({kind for result in results.values() for kind in result.by_kind})
    rows: list[list[Cell | str]] = []
    for model in (model for model in view.models if model in results):
        result = results[model]
        missing = f"{sum(result.missing.values())} missing" if result.missing else ""
        by_kind = [result.by_kind.get(kind) or SwapKind(n=0, accuracy=None, ci=None) for kind in kinds]
        of_kind = [
            interval_cell("accuracy", kind.accuracy, kind.ci, f"n {show.count(kind.n)}") for kind in by_kind
        ]
        rows.append(
            [
                model,
                interval_cell("accuracy", result.accuracy, result.ci, missing),
                *of_kind,
                show.count(result.n),
            ]
        )
    title = "Swap test: the true summary preferred to one with a term swapped, %"
    note = "50 % is guessing; a tie counts one half. Swaps need English summaries."
    return table("swaps", title, ["Model", "All swaps", *kinds, "n"], rows, note=note) if rows else None


MOST_MODELS = 4
"""Models that are named; of more, only the lowest and the highest rate is put into words."""


def names_alone(view: View) -> list[str]:
    """Say what the words of the name answer without the summary, at the level that the verdict is about."""
    level = view.level
    summaries = view.report.overall if level is None else view.report.by_difficulty[level]
    rates: dict[str, tuple[float, float]] = {}
    mostly = []
    for model, overall in view.report.controls.get("identifier", {}).items():
        control = overall if level is None else overall.by_level.get(level)
        accuracy = summaries[model].accuracy
        if control is None or control.value is None or accuracy is None:
            continue
        rates[model] = control.value, accuracy
        if (gain_of_name(control, summaries[model]) or 0.0) >= NAMES_SUFFICE:
            mostly.append(model)
    if not rates:
        return []
    models = [model for model in view.models if model in rates]
    by_name, by_summary = ([rates[model][i] for model in models] for i in (0, 1))
    if len(models) > MOST_MODELS:
        alone = f"{show.between(by_name, show.percent)} for {len(models)} models"
        beside = show.between(by_summary, show.percent)
    else:
        named = zip(models, by_name, strict=True)
        alone = show.listed([f"{show.percent(rate)} for {model}" for model, rate in named])
        beside = f"{show.listed([show.rate(rate) for rate in by_summary])} %"
    line = f"The name alone answers {alone}, where the summary answers {beside}"
    line += f" ({words(level)} items)" if level else ""
    if mostly and view.header.choices.mask_names:
        line += ": the words of names stand elsewhere in the code, too"
    elif mostly:
        whose = [model for model in models if model in mostly]
        whom = "" if whose == models else f" for {show.listed(whose, most=MOST_MODELS)}"
        line += f": this benchmark mostly tests names{whom}. To take them out, build without --no-mask-names"
    return [f"{line}."]


MOST_SUSPECTS = 30
"""So many suspects are in the table; the others are in the JSON."""

_PARTS_OF_FUSION = ("bm25", "lsa")


def distractors(view: View) -> Section:
    """Strategies and lengths."""
    return Section("distractors", "Distractors", tables=(_strategies(view),), in_terminal=True)


def selection_lines(view: View) -> list[str]:
    """Say which models had a part in choosing the options that the verdict is about."""
    selector = view.header.selector
    fusion, _, fourth = selector.partition("+")
    parts = (*_PARTS_OF_FUSION, fourth) if fusion == FUSION else (selector,)
    chose = [model for model in view.models if view.matchers[model] in parts]
    if not chose or view.level == POOL.name:
        return []
    had = "has" if len(chose) == 1 else "have"
    return [
        f"{show.listed(chose)} {had} a part in the selector {selector}, which chose the distractors; "
        "'tellapart contrastive bias' measures what that costs a model."
    ]


def _strategies(view: View) -> Table:
    """Where the distractors of each level came from, and their lengths beside the target's."""
    rows: list[list[Cell | str]] = []
    for level in view.levels:
        counts, lengths = view.report.strategies[level], view.report.lengths[level]
        rows.append([level, "targets", "", f"{lengths['target']:,.0f}"])
        rows += [
            [level, name, show.rate(count / sum(counts.values())), f"{lengths[name]:,.0f}"]
            for name, count in counts.items()
        ]
    return table(
        "distractors",
        "Distractors by strategy",
        ["Level", "Strategy", "Of the level's, %", "Median characters"],
        rows,
        words=2,
        note="Longer code has more of any summary's words: distractors should be about as long as targets.",
    )


def suspects_section(view: View) -> Section | None:
    """What may be a second right answer, with both summaries; None without any."""
    if not view.suspects:
        return None
    held = {item for suspect in view.suspects for item in suspect.items}
    of = view.benchmark.sets.height
    left = len(view.suspects) - MOST_SUSPECTS
    more = f" {show.plural(left, 'more suspect')} in the JSON." if left > 0 else ""
    rows: list[list[Cell | str]] = [
        [
            Cell(suspect.target, suspect.summary),
            Cell(suspect.distractor, suspect.distractor_summary),
            ", ".join(item.partition("/")[0] for item in suspect.items),
        ]
        for suspect in view.suspects[:MOST_SUSPECTS]
    ]
    shown = table(
        "suspects",
        "Distractors whose summary has every word of the target's",
        ["Target", "Distractor", "Levels"],
        rows,
        note=f"An item's id is its level, a slash and the target.{more}",
        words=3,
    )
    text = (
        f"{show.count(len(held))} of {show.count(of)} items ({show.percent(len(held) / of)}) have a "
        "distractor that may be a second right answer; '--exclude FILE' leaves items out."
    )
    return Section("suspects", "Second right answers", text, tables=(shown,))
