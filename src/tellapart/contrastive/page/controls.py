"""Controls: questions whose outcome is known beforehand, and the swap test."""

from __future__ import annotations

from tellapart.contrastive.figures import MARGIN, NAMES_SUFFICE, Control, SwapKind, gain_of_name
from tellapart.contrastive.page.cells import number, rate, rate_with_interval
from tellapart.contrastive.page.view import View
from tellapart.core.comparison import ALPHA, ChanceOutcome
from tellapart.report import numbers as show
from tellapart.report.document import Section
from tellapart.report.tables import Cell, Table, table, undefined

NO_INTERVAL = "too few files for an interval"

WITHIN = f"within {100 * MARGIN:g} % of it"
"""How near to chance a control must be."""


def section(view: View) -> Section | None:
    """Controls over all levels and at each, and swaps."""
    if not view.report.controls and not view.report.swap_accuracy:
        return None
    return Section(
        "checks",
        "Controls",
        "Questions whose outcome is known beforehand show whether the evaluation itself is sound.",
        tables=tuple(tables(view)),
        folded=(_by_level(view),) if view.report.controls.get("shuffled") else (),
    )


def tables(view: View) -> list[Table]:
    """The controls over all levels, and the swap test."""
    report = view.report
    return [
        *([_controls(view)] if report.controls else []),
        *([_swaps(view)] if report.swap_accuracy else []),
    ]


def control_lines(view: View) -> list[str]:
    """Say how models score when they are given the summary of another unit; nothing where none was."""
    shuffled = view.report.controls.get("shuffled", {})
    by_outcome: dict[ChanceOutcome, list[str]] = {}
    for model in (model for model in view.models if model in shuffled):
        by_outcome.setdefault(shuffled[model].outcome, []).append(model)
    if not by_outcome:
        return []
    if set(by_outcome) == {ChanceOutcome.AT}:
        return [f"Control: given the summary of another unit, every model scores at chance, {WITHIN}."]
    off = [*by_outcome.get(ChanceOutcome.ABOVE, []), *by_outcome.get(ChanceOutcome.BELOW, [])]
    unclear = by_outcome.get(ChanceOutcome.UNCLEAR, [])
    lines = []
    if off:
        lines.append(
            f"Check the benchmark: given the summary of another unit, {_are(off)} not at chance, not even "
            f"{WITHIN}."
        )
    if unclear:
        lines.append(
            "Control: given the summary of another unit, there are too few items to tell whether "
            f"{_are(unclear)} at chance, {WITHIN}."
        )
    return lines


def _are(models: list[str]) -> str:
    return f"{show.listed(models)} {'is' if len(models) == 1 else 'are'}"


def _controls(view: View) -> Table:
    rows: list[list[Cell | str]] = []
    for condition, by_model in view.report.controls.items():
        for model in (model for model in view.models if model in by_model):
            control = by_model[model]
            by_name = condition == "identifier" and gain_of_name(control, view.report.overall[model]) or 0.0
            is_mostly_names = by_name >= NAMES_SUFFICE and not view.header.choices.mask_names
            reading = Cell("mostly names") if is_mostly_names else _reading(control)
            rows.append([condition, model, reading, *_figures(control)])
    return table(
        "controls",
        "Controls: questions whose answer is known beforehand",
        ["Summary", "Model", "Reading", "Accuracy, %", "Chance, %", "Ratio", "n"],
        rows,
        words=3,
        note="shuffled: the summary of another unit, which must score at chance. At chance: "
        f"{WITHIN}, by two one-sided tests at {show.whole_percent(ALPHA)}. identifier: the words of the "
        f"unit's name alone. Mostly names: they gain {show.whole_percent(NAMES_SUFFICE)} or more of what "
        "summaries gain over guessing.",
    )


def _by_level(view: View) -> Table:
    shuffled = view.report.controls["shuffled"]
    rows: list[list[Cell | str]] = [
        [level, model, _reading(control), *_figures(control)]
        for level in view.levels
        for model in view.models
        if model in shuffled and (control := shuffled[model].by_level.get(level))
    ]
    return table(
        "controls-by-level",
        "The control shuffled at each level",
        ["Level", "Model", "Reading", "Accuracy, %", "Chance, %", "Ratio", "n"],
        rows,
        words=3,
    )


def _figures(control: Control) -> list[Cell | str]:
    shown = rate_with_interval(control.value, control.interval)
    return [shown, rate(control.chance), number(control.ratio, 2), show.count(control.n)]


def _reading(control: Control) -> Cell:
    if control.interval is None or control.chance is None:
        return undefined(NO_INTERVAL)
    return Cell(control.outcome.value)


def _swaps(view: View) -> Table:
    results = view.report.swap_accuracy
    kinds = sorted({kind for result in results.values() for kind in result.by_kind})
    rows: list[list[Cell | str]] = []
    for model in (model for model in view.models if model in results):
        result = results[model]
        missing = f"{sum(result.missing.values())} missing" if result.missing else ""
        accuracy = rate_with_interval(result.accuracy, result.ci, missing)
        rows.append(
            [model, accuracy, *(_kind(result.by_kind.get(kind)) for kind in kinds), show.count(result.n)]
        )
    return table(
        "swaps",
        "Swap test: the true summary preferred to one with a term swapped, %",
        ["Model", "All swaps", *kinds, "n"],
        rows,
        note="50 % is guessing; a tie counts one half. Swaps need English summaries.",
    )


def _kind(swaps: SwapKind | None) -> Cell:
    if swaps is None or swaps.accuracy is None:
        return undefined("no swap of this kind")
    return rate_with_interval(swaps.accuracy, swaps.ci, f"n {show.count(swaps.n)}")
