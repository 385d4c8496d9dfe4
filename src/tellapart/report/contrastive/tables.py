"""Tables of a contrastive run."""

from __future__ import annotations

from tellapart.report import numbers as show
from tellapart.report.contrastive.llm.names import matched_by
from tellapart.report.contrastive.record import Figures, View
from tellapart.report.contrastive.verdict import Comparison, Status, askings_missing, by_pair, comparisons
from tellapart.report.tables import Cell, Table, table, undefined

NO_ITEMS = "no answer was scored"
NO_INTERVAL = "too few files for an interval"
NO_NUMBER = "no number of items would: the two score the same"
UNTESTED = "no item that both answered"
TIED = "ties make scores between 0 and 1"
BOUNDS = " In brackets, where answers are missing: accuracy if all of them were wrong, and if all were right."


def accuracy_by_level(view: View) -> Table:
    """Accuracy of each model at each level, with intervals and what is missing."""
    levels, bounds = view.levels, view.of_language_models and _incomplete(view)
    rows: list[list[Cell | str]] = [
        [model, *(accuracy(view.figures["by_difficulty"][level][model], bounds) for level in levels)]
        for model in view.models
    ]
    rows.append(["chance", *(show.rate(view.chance[level]) for level in levels)])
    rows.append(["distractors", *(show.count(view.distractors[level]) for level in levels)])
    rows.append(["items", *(show.count(view.asked[level]) for level in levels)])
    return table(
        "accuracy",
        f"Accuracy by difficulty, % (95 % interval){matched_by(view)}",
        ["model", *levels],
        rows,
        note="Intervals are Wilson's, clustered on the file. A tie at the top counts as the chance of a "
        "right draw." + (BOUNDS if bounds else ""),
    )


def accuracy(figures: Figures, bounds: bool = False) -> Cell:
    """Accuracy in percent with its interval, and below it how many answers are missing.

    Args:
        figures: Of one model over some items.
        bounds: Whether the accuracy if all missing answers were wrong, and if all were right, follows.
    """
    unknown = askings_missing(figures)
    missing = f"{unknown} missing" if unknown else ""
    if missing and bounds:
        missing += f"; [{show.rate_range(figures['accuracy_bounds'])}]"
    if figures["accuracy"] is None:
        return undefined(NO_ITEMS, missing)
    interval = show.rate_range(figures["accuracy_ci"]) if figures["accuracy_ci"] else "no interval"
    return Cell(show.rate(figures["accuracy"]), "; ".join(filter(None, [interval, missing])))


def ranks(name: str, title: str, heading: str, groups: Figures, models: tuple[str, ...]) -> Table:
    """Everything about ranks, for each group of items and model."""
    rows: list[list[Cell | str]] = []
    for group, by_model in groups.items():
        for model in models:
            if model in by_model:
                found = by_model[model]
                rates = [accuracy(found), rate(found["top3"]), rate(found["top5"])]
                ranked = [number(found["mrr"]), number(found["mean_rank"], 2)]
                rows.append([group, model, *rates, *ranked, *map(show.count, (found["n"], found["missing"]))])
    headings = [heading, "model", "accuracy, %", "top 3, %", "top 5, %", "MRR", "mean rank", "n", "missing"]
    return table(name, title, headings, rows, words=2)


def controls(view: View) -> Table:
    """Controls beside the accuracy of guessing."""
    rows: list[list[Cell | str]] = []
    for condition, by_model in view.figures["controls"].items():
        for model in (model for model in view.models if model in by_model):
            found = by_model[model]
            shown = accuracy({"accuracy_ci": found["ci"], "missing": 0, **found})
            chance = rate(found["chance"])
            rows.append([condition, model, _against_chance(found), shown, chance, show.count(found["n"])])
    return table(
        "controls",
        "Controls: questions whose answer is known beforehand",
        ["summary", "model", "reading", "accuracy, %", "chance, %", "n"],
        rows,
        words=3,
        note="shuffled: the summary of another unit, which must score at chance. "
        "identifier: the words of the unit's name alone.",
    )


def items_needed(found: list[Comparison], name: str = "needed", heading: str = "level") -> Table:
    """Items that each pair needs at each level, and where it is told apart."""
    groups = by_pair(found)
    levels = list(dict.fromkeys(one.level for one in found))
    rows: list[list[Cell | str]] = []
    for group in groups:
        cells = {one.level: _needed(one) for one in group}
        rows.append([group[0].pair, *(cells[level] for level in levels)])
    return table(
        name,
        f"Items needed to tell two models apart, by {heading} (range over the interval of their difference)",
        ["pair", *levels],
        rows,
        note="● told apart in this run (p < 0.05 after Holm over the pairs of a level), ○ not. "
        "Paired test, 80 % power at 5 %.",
    )


def differences(view: View) -> Table:
    """Difference in accuracy of each pair at each level, with p."""
    rows: list[list[Cell | str]] = []
    for one in comparisons(view):
        pair = one.figures
        if one.difference is None:
            found = [undefined(UNTESTED)] * 3
        else:
            gap = Cell(show.points(one.difference), _span(pair["ci"]))
            found = [gap, _p(pair["p_holm"], NO_INTERVAL), _p(pair["p_mcnemar"], TIED)]
        rows.append([one.pair, one.level, one.status.value.split(":")[0], *found, show.count(pair["n"])])
    return table(
        "differences",
        "Difference in accuracy, first minus second, in percentage points (95 % interval)",
        ["pair", "level", "verdict", "difference", "p (Holm)", "p (exact McNemar)", "n"],
        rows,
        words=3,
    )


def swaps(view: View) -> Table:
    """How often the true summary is preferred to one with a key term swapped."""
    found = view.figures["swap_accuracy"]
    kinds = sorted({kind for figures in found.values() for kind in figures["by_kind"]})
    rows: list[list[Cell | str]] = []
    for model in (model for model in view.models if model in found):
        figures = found[model]
        shown = accuracy({"accuracy_ci": figures["ci"], "missing": 0, **figures})
        rows.append(
            [model, shown, *(_kind(figures["by_kind"].get(kind)) for kind in kinds), show.count(figures["n"])]
        )
    return table(
        "swaps",
        "Swap test: the true summary preferred to one with a term swapped, %",
        ["model", "all swaps", *kinds, "n"],
        rows,
        note="50 % is guessing; a tie counts one half.",
    )


def rate(value: float | None) -> Cell:
    """A rate in percent."""
    return undefined(NO_ITEMS) if value is None else Cell(show.rate(value))


def number(value: float | None, digits: int = 3, reason: str = NO_ITEMS) -> Cell:
    """A number with a fixed count of decimals."""
    return undefined(reason) if value is None else Cell(show.decimal(value, digits))


def _incomplete(view: View) -> bool:
    return any(map(askings_missing, view.figures["overall"].values()))


def _p(value: float | None, reason: str) -> Cell:
    return undefined(reason) if value is None else Cell(show.p_value(value))


def _span(interval: list[float] | None) -> str:
    return show.points_range(interval) if interval else "no interval"


def _against_chance(found: Figures) -> Cell:
    if found["ci"] is None or found["chance"] is None:
        return undefined(NO_INTERVAL)
    low, high = found["ci"]
    return Cell(
        "above chance" if low > found["chance"] else "below chance" if high < found["chance"] else "at chance"
    )


def _needed(one: Comparison) -> Cell:
    if one.needed is None:
        return undefined(UNTESTED if one.difference is None else NO_NUMBER)
    apart = one.status is Status.APART
    span = one.figures.get("items_needed_range")
    return Cell(
        f"{'●' if apart else '○'} {show.items(one.needed)}",
        show.items_range(span) if span else "",
        strong=apart,
    )


def _kind(figures: Figures | None) -> Cell:
    if figures is None or figures["accuracy"] is None:
        return undefined("no swap of this kind")
    return Cell(show.rate(figures["accuracy"]), f"n {show.count(figures['n'])}")
