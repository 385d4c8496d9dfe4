"""Accuracy and ranks: by level, by type of unit and by language."""

from __future__ import annotations

from collections.abc import Mapping

from tellapart.contrastive.figures import ByModel
from tellapart.contrastive.page.cells import accuracy, number, rate
from tellapart.contrastive.page.language_models import missing_tables
from tellapart.contrastive.page.view import View, short_names
from tellapart.report import numbers as show
from tellapart.report.charts import REFERENCE, Axis, Chart, Drawing, Point, curves
from tellapart.report.comparison import words
from tellapart.report.document import Section
from tellapart.report.palette import looks
from tellapart.report.tables import Cell, Table, table, undefined

RIGHT = Axis("Items answered right, %", (0, 100), 6)

BOUNDS = " In brackets, where answers are missing: accuracy if all of them were wrong, and if all were right."


def section(view: View) -> Section:
    """The curve over the levels."""
    return Section(
        "accuracy",
        "Accuracy",
        "A model sees a summary and several pieces of code, and is right when it ranks the one that the "
        "summary describes first.",
        charts=(_chart(view),),
        tables=(by_level(view), *missing_tables(view)),
        folded=(_ranks("ranks", "Ranks by level", "level", view.report.by_difficulty, view),),
    )


def groups(view: View) -> Section:
    """Ranks by type of unit and by language."""
    by_type, by_language = view.report.by_unit_type, view.report.by_language
    return Section(
        "groups",
        "Groups",
        tables=(_ranks("unit-types", "Ranks by type of unit", "type", by_type, view),),
        folded=(_ranks("languages", "Ranks by language", "language", by_language, view),),
    )


def by_level(view: View) -> Table:
    """Accuracy of each model at each level, with intervals and what is missing."""
    bounds = view.of_language_models and any(
        result.askings_missing for result in view.report.overall.values()
    )
    rows: list[list[Cell | str]] = [
        [
            model,
            *(
                accuracy(by_model[model], bounds) if model in by_model else undefined("not asked")
                for by_model in view.report.by_difficulty.values()
            ),
        ]
        for model in view.models
    ]
    facts = [view.by_level[level] for level in view.levels]
    rows.append(["chance", *(show.rate(chance) for _, _, chance in facts)])
    rows.append(["distractors", *(show.count(distractors) for _, distractors, _ in facts)])
    rows.append(["items", *(show.count(items) for items, _, _ in facts)])
    return table(
        "accuracy",
        "Accuracy by difficulty, % (95 % interval)",
        ["Model", *view.levels],
        rows,
        note="Intervals are Wilson's, clustered on the file. A tie at the top counts as the chance of a "
        "right draw." + (BOUNDS if bounds else ""),
    )


def _ranks(name: str, title: str, heading: str, groups: Mapping[str, ByModel], view: View) -> Table:
    """Everything about ranks, for each group of items and model."""
    rows: list[list[Cell | str]] = []
    for group, by_model in groups.items():
        for model in (model for model in view.models if model in by_model):
            result = by_model[model]
            rates = [accuracy(result), rate(result.top3), rate(result.top5)]
            ranked = [number(result.mrr), number(result.mean_rank, 2)]
            rows.append([group, model, *rates, *ranked, *map(show.count, (result.n, result.missing))])
    figures = ["Accuracy, %", "Top 3, %", "Top 5, %", "MRR", "Mean rank", "n", "Missing"]
    return table(name, title, [show.capital(heading), "Model", *figures], rows, words=2)


def _chart(view: View) -> Chart:
    description = (
        f"Accuracy in percent of {show.listed(view.models)} at the levels {show.listed(view.levels)}, "
        "with 95 % intervals; the broken grey line is the accuracy of guessing."
    )
    axis = Axis(
        "Level of difficulty",
        names=[(level, show.count(view.by_level[level][1])) for level in view.levels],
        below="number of distractors",
    )
    points = [Point(i, 100 * view.by_level[level][2], "chance") for i, level in enumerate(view.levels)]
    for model in view.models:
        for i, level in enumerate(view.levels):
            result = view.report.by_difficulty[level].get(model)
            if result is not None and result.accuracy is not None:
                low, high = result.accuracy_ci or (result.accuracy, result.accuracy)
                points.append(Point(i, 100 * result.accuracy, model, 100 * low, 100 * high))
    names = short_names(view.models) if view.of_language_models else {name: name for name in view.models}
    key, styles = names | {"chance": "chance"}, {"chance": REFERENCE} | looks(view.models)

    def draw(width: int) -> Drawing:
        return curves(points, width, axis, RIGHT, looks=styles, key=key, beside=True, height=300)

    return Chart("accuracy", _title(view), description, draw)


def _title(view: View) -> str:
    """Say how many are right at the first level and at the last of the curve, and who changes places."""
    levels = list(dict.fromkeys((view.levels[0], view.levels[-1])))
    shares = []
    for level in levels:
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
