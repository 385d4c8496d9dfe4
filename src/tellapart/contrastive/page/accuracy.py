"""Accuracy and ranks by level, type of unit and language, and whether the confidence gap tells them."""

from __future__ import annotations

from collections.abc import Mapping

from tellapart.contrastive.figures import ByModel, ModelResult
from tellapart.contrastive.page.view import View
from tellapart.report import figures
from tellapart.report import numbers as show
from tellapart.report.charts import REFERENCE, Axis, Bin, Chart, Drawing, Point, curves, histogram
from tellapart.report.comparison import words
from tellapart.report.document import Section
from tellapart.report.figures import FIGURES, ends_of
from tellapart.report.palette import looks
from tellapart.report.tables import Cell, Table, table, undefined

SHOWN = ("accuracy", "top3", "top5", "mrr", "mean_rank", "n")
"""Figures of a model on some items: on the page and for experiment trackers."""


def section(view: View) -> Section:
    """The curve over the levels."""
    return Section(
        "accuracy",
        "Accuracy",
        "A model sees a summary and several pieces of code, and is right when it ranks the one that the "
        "summary describes first.",
        charts=(_chart(view),),
        tables=(by_level(view),),
        folded=(_ranks("ranks", "Ranks by level", "Level", view.report.by_difficulty, view),),
        in_terminal=True,
    )


def groups(view: View) -> Section:
    """Ranks by type of unit and by language."""
    by_type, by_language = view.report.by_unit_type, view.report.by_language
    return Section(
        "groups",
        "Groups",
        tables=(_ranks("unit-types", "Ranks by type of unit", "Type", by_type, view),),
        folded=(_ranks("languages", "Ranks by language", "Language", by_language, view),),
    )


def accuracy(result: ModelResult) -> Cell:
    """Accuracy in percent with its interval, and below it how many answers are missing, and its bounds."""
    missing = f"{result.askings_missing} missing" if result.askings_missing else ""
    open_ends = missing and result.accuracy_bounds
    bounds = f"[{ends_of('accuracy', result.accuracy_bounds)}]" if open_ends else ""
    return figures.interval_cell("accuracy", result.accuracy, result.accuracy_ci, missing, bounds)


def by_level(view: View) -> Table:
    """Accuracy of each model at each level, with intervals and what is missing."""
    rows: list[list[Cell | str]] = []
    is_open = False
    for level, by_model in view.report.by_difficulty.items():
        items, distractors, chance = view.by_level[level]
        results = [by_model.get(model) for model in view.models]
        is_open |= any(result.askings_missing for result in results if result)
        shown = [accuracy(result) if result else undefined("not asked") for result in results]
        rows.append([level, *shown, show.rate(chance), show.count(distractors), show.count(items)])
    bounds = (
        " In brackets, where answers are missing: accuracy if all of them were wrong, and if all were right."
    )
    return table(
        "accuracy",
        "Accuracy by difficulty, % (95 % interval)",
        ["Level", *view.models, "Chance", "Distractors", "Items"],
        rows,
        note="Intervals are Wilson's, clustered on the file. A tie at the top counts as the chance of a "
        f"right draw.{bounds if is_open else ''}",
    )


def _ranks(name: str, title: str, heading: str, groups: Mapping[str, ByModel], view: View) -> Table:
    """Everything about ranks, for each group of items and model."""
    rows: list[list[Cell | str]] = [
        [group, model, *figures.cells(by_model[model], [*SHOWN, "missing"])]
        for group, by_model in groups.items()
        for model in view.models
        if model in by_model
    ]
    heads = figures.headings([*SHOWN, "missing"])
    return table(name, title, [heading, "Model", *heads], rows, words=2)


def _chart(view: View) -> Chart:
    levels = show.listed([words(level) for level in view.levels])
    description = (
        f"Accuracy in percent of {show.listed(view.models)} at the levels {levels}, "
        "with 95 % intervals; the broken grey line is the accuracy of guessing."
    )
    names = [f"{words(level)}\n{show.count(view.by_level[level][1])}" for level in view.levels]
    x = Axis("Level of difficulty, number of distractors", names=names)
    y = Axis(FIGURES["accuracy"].axis, (0, 100), 6)
    points = [Point(i, 100 * view.by_level[level][2], "chance") for i, level in enumerate(view.levels)]
    for model in view.models:
        for i, level in enumerate(view.levels):
            result = view.report.by_difficulty[level].get(model)
            if result is not None and result.accuracy is not None:
                low, high = result.accuracy_ci or (result.accuracy, result.accuracy)
                points.append(Point(i, 100 * result.accuracy, model, 100 * low, 100 * high))
    styles = looks(view.models) | {"chance": REFERENCE}
    return Chart(
        "accuracy",
        _title(view),
        description,
        lambda width: curves(points, width, x, y, looks=styles, beside=True, height=300),
    )


def _title(view: View) -> str:
    """Say how many are right at the first level and at the last of the curve, and who changes places."""
    shares = []
    for level in dict.fromkeys((view.levels[0], view.levels[-1])):
        results = view.report.by_difficulty[level].values()
        if rates := [result.accuracy for result in results if result.accuracy is not None]:
            shares.append(f"{show.between(rates, show.whole_percent)} right at {words(level)}")
    if not shares:
        return "No accuracy is known"
    detail = view.comparison.secondary if view.comparison else None
    ahead = {(pair.ahead, pair.behind) for pair in detail.separated} if detail else set()
    turned = [f"{a} and {b}" for a, b in sorted(ahead) if a < b and (b, a) in ahead]
    order = f"; {show.listed(turned)} change places between levels" if turned else ""
    return ", ".join(shares) + order


_GAP = ("mean_right", "mean_wrong", "auroc", "correlation", "calibration_error")


def gaps(view: View) -> Section | None:
    """The gaps of embedding models; nothing where only language models answered."""
    if not view.embedders:
        return None
    rows: list[list[Cell | str]] = [
        [model, *figures.cells(view.report.confidence_gap[model], _GAP)] for model in view.embedders
    ]
    shown = table(
        "gaps",
        "Confidence gap: score of the first option minus score of the second",
        ["Model", *figures.headings(_GAP)],
        rows,
        note="Gaps are in each model's own scores and do not compare between models. AUROC does: 0.5 says "
        "nothing about being right, 1 says all.",
    )
    return Section("gap", "Confidence gap", charts=(_gap_chart(view),), tables=(shown,))


def _gap_chart(view: View) -> Chart:
    description = (
        f"For {show.listed(view.embedders)}, a histogram of the score of the first option minus the score of "
        "the second: items answered right above the axis, filled; items answered wrong below it, hollow."
    )
    known = [auroc for model in view.embedders if (auroc := view.report.confidence_gap[model].auroc)]
    shown = show.between(known, lambda value: f"{value:.2f}") if known else "not known"
    title = f"How well a wide gap tells right answers from wrong ones: AUROC {shown}; 0.5 is not at all"
    return Chart("gap-distribution", title, description, lambda width: _histogram(view, width))


def _histogram(view: View, width: int) -> Drawing:
    bins = []
    for model in view.embedders:
        counted = view.report.confidence_gap[model].histogram
        colour = looks(view.models)[model].colour
        panel = f"{model}\n{show.count(sum(counted.right))} right, {show.count(sum(counted.wrong))} wrong"
        for sign, counts in ((1, counted.right), (-1, counted.wrong)):
            bins += [
                Bin(low, high, sign * count, colour, hollow=sign < 0, panel=panel)
                for low, high, count in zip(counted.edges, counted.edges[1:], counts, strict=False)
            ]
    ends = [bar.count for bar in bins]
    span = (min(*ends, 0.0), max(*ends, 1.0))
    y = Axis("Items (wrong ones below)", span, 6, label="format(abs(datum.value), ',')")
    return histogram(bins, width, Axis("Gap between first and second", ticks=4), y)
