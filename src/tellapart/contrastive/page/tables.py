"""Tables that every contrastive run has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tellapart.contrastive.controls import MARGIN
from tellapart.contrastive.names import NAMES_SUFFICE, gain_of_name
from tellapart.contrastive.page.view import View, matched_by
from tellapart.contrastive.results import (
    ByModel,
    ControlResult,
    Ends,
    MissesByStrategy,
    ModelResult,
    SwapKind,
)
from tellapart.core.comparison import ALPHA, POWER, Comparison, PairComparison
from tellapart.report import numbers as show
from tellapart.report.comparison import detail_note, items_as_seen
from tellapart.report.tables import Cell, Table, table, undefined

NO_ITEMS = "no answer was scored"

NO_INTERVAL = "too few files for an interval"

BOUNDS = " In brackets, where answers are missing: accuracy if all of them were wrong, and if all were right."

AS_SEEN = (
    f"for {show.whole_percent(POWER)} power, were the difference the one seen, or an end of its 95 % interval"
)
"""What numbers of items needed are."""

WITHIN = f"within {100 * MARGIN:g} % of it"
"""How near to chance a control must be."""

COUNTS = (1, 2, 4, 9, 19, 29, 49, 99)
"""Numbers of distractors that have a column."""


def accuracy_by_level(view: View) -> Table:
    """Accuracy of each model at each level, with intervals and what is missing."""
    levels, bounds = view.levels, view.of_language_models and _incomplete(view)
    rows: list[list[Cell | str]] = [
        [
            model,
            *(
                accuracy(by_model[model], bounds) if model in by_model else undefined("not asked")
                for by_model in map(view.report.by_difficulty.__getitem__, levels)
            ),
        ]
        for model in view.models
    ]
    rows.append(["chance", *(show.rate(view.chance[level]) for level in levels)])
    rows.append(["distractors", *(show.count(view.distractors[level]) for level in levels)])
    rows.append(["items", *(show.count(view.item_counts[level]) for level in levels)])
    return table(
        "accuracy",
        f"Accuracy by difficulty, % (95 % interval){matched_by(view)}",
        ["Model", *levels],
        rows,
        note="Intervals are Wilson's, clustered on the file. A tie at the top counts as the chance of a "
        "right draw." + (BOUNDS if bounds else ""),
    )


def accuracy(result: ModelResult, bounds: bool = False) -> Cell:
    """Accuracy in percent with its interval, and below it how many answers are missing."""
    missing = f"{result.askings_missing} missing" if result.askings_missing else ""
    if missing and bounds and result.accuracy_bounds:
        missing += f"; [{show.rate_range(result.accuracy_bounds)}]"
    return rate_with_interval(result.accuracy, result.accuracy_ci, missing)


def rate_with_interval(value: float | None, ends: Ends | None, missing: str = "") -> Cell:
    """A rate in percent with its interval, and what is missing."""
    if value is None:
        return undefined(NO_ITEMS, missing)
    interval = show.rate_range(ends) if ends else "no interval"
    return Cell(show.rate(value), "; ".join(filter(None, [interval, missing])))


def ranks(
    name: str, title: str, heading: str, groups: Mapping[str, ByModel], models: tuple[str, ...]
) -> Table:
    """Everything about ranks, for each group of items and model."""
    rows: list[list[Cell | str]] = []
    for group, by_model in groups.items():
        for model in models:
            if model in by_model:
                result = by_model[model]
                rates = [accuracy(result), rate(result.top3), rate(result.top5)]
                ranked = [number(result.mrr), number(result.mean_rank, 2)]
                rows.append([group, model, *rates, *ranked, *map(show.count, (result.n, result.missing))])
    headings = [
        show.capital(heading),
        "Model",
        "Accuracy, %",
        "Top 3, %",
        "Top 5, %",
        "MRR",
        "Mean rank",
        "n",
        "Missing",
    ]
    return table(name, title, headings, rows, words=2)


def by_level(comparison: Comparison, levels: Sequence[str]) -> Table | None:
    """Difference and items needed of each pair at each level, in brief; None without levels.

    A level that was declared is not shown again: its pairs are the verdict.
    """
    detail = comparison.secondary
    levels = [level for level in levels if level != declared_level(comparison)]
    if detail is None or not levels:
        return None
    pair_at = {(pair.a, pair.b, pair.stratum): pair for pair in detail.pairs}
    rows: list[list[Cell | str]] = []
    for two in comparison.primary.pairs:
        at = [pair_at.get((two.a, two.b, level)) for level in levels]
        rows.append([f"{two.ahead} – {two.behind}", *(_look(pair, two.ahead) for pair in at)])
    return table(
        "by-level",
        "Pairs by level, in percentage points (items needed)",
        ["Pair", *levels],
        rows,
        note=f"{detail_note(detail)} ● is separated. Items needed: {AS_SEEN}.",
    )


def declared_level(comparison: Comparison) -> str:
    """Name the level that the verdict is about; empty where it is about something else, or chosen later."""
    column, _, level = comparison.primary.scope.partition("=")
    return level if column == "difficulty" and comparison.primary.declared else ""


def controls(view: View) -> Table:
    """Controls beside the accuracy of guessing."""
    rows: list[list[Cell | str]] = []
    for condition, by_model in view.report.controls.items():
        for model in (model for model in view.models if model in by_model):
            control = by_model[model]
            shown = rate_with_interval(control.value, control.interval)
            chance = rate(control.chance)
            by_name = condition == "identifier" and gain_of_name(control, view.report.overall[model]) or 0.0
            is_mostly_names = by_name >= NAMES_SUFFICE and not view.header.choices.mask_names
            reading = Cell("mostly names") if is_mostly_names else _against_chance(control)
            ratio = number(control.ratio, 2)
            rows.append([condition, model, reading, shown, chance, ratio, show.count(control.n)])
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


def swaps(view: View) -> Table:
    """How often the true summary is preferred to one with a key term swapped."""
    results = view.report.swap_accuracy
    kinds = sorted({kind for result in results.values() for kind in result.by_kind})
    rows: list[list[Cell | str]] = []
    for model in (model for model in view.models if model in results):
        result = results[model]
        by_kind = [_kind(result.by_kind.get(kind)) for kind in kinds]
        missing = f"{sum(result.missing.values())} missing" if result.missing else ""
        accuracy = rate_with_interval(result.accuracy, result.ci, missing)
        rows.append([model, accuracy, *by_kind, show.count(result.n)])
    return table(
        "swaps",
        "Swap test: the true summary preferred to one with a term swapped, %",
        ["Model", "All swaps", *kinds, "n"],
        rows,
        note="50 % is guessing; a tie counts one half. Swaps need English summaries.",
    )


def rate(value: float | None) -> Cell:
    """A rate in percent."""
    return undefined(NO_ITEMS) if value is None else Cell(show.rate(value))


def number(value: float | None, digits: int = 3, reason: str = NO_ITEMS) -> Cell:
    """A number with a fixed count of decimals."""
    return undefined(reason) if value is None else Cell(show.decimal(value, digits))


def distractors(view: View) -> Table:
    """Where the distractors of each level came from."""
    chosen_by = view.report.strategies
    strategies = sorted({name for counts in chosen_by.values() for name in counts})
    rows: list[list[Cell | str]] = [
        [
            level,
            *(_share(chosen_by[level].get(name, 0), sum(chosen_by[level].values())) for name in strategies),
        ]
        for level in view.levels
    ]
    return table("distractors", "Distractors by strategy, % of the level's", ["Level", *strategies], rows)


def misses(view: View, *, hardest: bool = False) -> Table | None:
    """What each strategy costs each model, at all levels that have several or at the hardest of them.

    None without such a level.
    """
    by_level = dict([*view.report.misses.items()][-1 if hardest else 0 :])
    strategies = sorted({name for level in by_level for name in view.report.strategies[level]})
    rows: list[list[Cell | str]] = []
    for level, by_model in by_level.items():
        counts = view.report.strategies[level]
        mixture = [_share(counts.get(name, 0), sum(counts.values())) for name in strategies]
        rows.append([level, "all distractors", "", *mixture])
        for model in (model for model in view.models if model in by_model):
            missed = by_model[model]
            rows.append([level, model, show.count(missed.n), *(_missed(missed, name) for name in strategies)])
    if not rows:
        return None
    return table(
        "misses",
        "What was taken for the target, % of the missed items by strategy (95 % interval)",
        ["Level", "Model", "Missed", *strategies],
        rows,
        words=2,
        note="A strategy with a larger share of a model's misses than of all distractors is harder for that "
        "model than the level's others.",
    )


def _share(count: int, total: int) -> Cell:
    return Cell(show.rate(count / total)) if total else undefined("no items")


def _missed(missed: MissesByStrategy, strategy: str) -> Cell:
    if strategy not in missed.by_strategy:
        return undefined("no such distractor in a missed item")
    taken = missed.by_strategy[strategy]
    return rate_with_interval(taken.share, taken.ci)


def distractor_counts(view: View) -> Table:
    """Accuracy with some of a level's distractors, drawn at random from each item's own."""
    curves = view.report.by_distractor_count
    longest = max((len(curve) for by_model in curves.values() for curve in by_model.values()), default=0)
    counts = [count for count in COUNTS if count <= longest]
    rows: list[list[Cell | str]] = [
        [level, model, *(_with(curves[level][model], count) for count in counts)]
        for level in view.levels
        for model in view.models
        if model in curves.get(level, {})
    ]
    return table(
        "distractor-counts",
        "Accuracy by number of distractors, %",
        ["Level", "Model", *map(str, counts)],
        rows,
        words=2,
    )


def gaps(view: View) -> Table:
    """Whether the confidence gap tells right answers from wrong ones."""
    rows: list[list[Cell | str]] = []
    for model in view.embedders:
        gap = view.report.confidence_gap[model]
        rows.append(
            [
                model,
                _score(gap.mean_right, "no answer was right"),
                _score(gap.mean_wrong, "no answer was wrong"),
                number(gap.auroc, reason="answers are all right or all wrong"),
                number(gap.correlation, reason="gaps or answers do not vary"),
                number(gap.calibration_error, reason="too few files, or answers all alike"),
            ]
        )
    return table(
        "gaps",
        "Confidence gap: score of the first option minus score of the second",
        ["Model", "Mean when right", "Mean when wrong", "AUROC", "Correlation", "Calibration error"],
        rows,
        note="Gaps are in each model's own scores and cannot be compared between models. AUROC can: 0.5 says "
        "nothing about being right, 1 says all.",
    )


def _incomplete(view: View) -> bool:
    return any(result.askings_missing for result in view.report.overall.values())


def _against_chance(control: ControlResult) -> Cell:
    if control.interval is None or control.chance is None:
        return undefined(NO_INTERVAL)
    return Cell(control.outcome.value)


def _kind(swaps: SwapKind | None) -> Cell:
    if swaps is None or swaps.accuracy is None:
        return undefined("no swap of this kind")
    interval = f"{show.rate_range(swaps.ci)}; " if swaps.ci else ""
    return Cell(show.rate(swaps.accuracy), f"{interval}n {show.count(swaps.n)}")


def _look(pair: PairComparison | None, model: str) -> Cell:
    gap = None if pair is None else pair.of(model)[0]
    if pair is None or gap is None:
        return undefined("no item that both answered")
    sign = "●" if pair.is_separated else "○"
    return Cell(f"{sign} {show.points(gap)}", items_as_seen(pair.items_needed), strong=pair.is_separated)


def _with(curve: Sequence[float], count: int) -> Cell:
    if count > len(curve):
        return undefined("some item of the level has fewer distractors")
    return Cell(show.rate(curve[count - 1]))


def _score(value: float | None, reason: str) -> Cell:
    return undefined(reason) if value is None else Cell(show.significant(value))
