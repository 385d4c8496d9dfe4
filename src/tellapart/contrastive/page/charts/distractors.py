"""Accuracy against the number of distractors."""

from __future__ import annotations

import altair as alt
import polars as pl

from tellapart.contrastive.page.view import View
from tellapart.report import numbers as show
from tellapart.report.charts import GUTTER, Chart, Drawing, columns_for, spread
from tellapart.report.comparison import words
from tellapart.report.palette import MUTED, PAPER, looks

_HEIGHT = 220
_AXIS, _NAMES = 58, 66
"""Pixels of a panel for its axis on the left and the names of the levels on the right."""


def distractors_chart(view: View) -> Chart:
    """How accuracy falls with 1, 2, … of each level's distractors: a panel a model, a line a level."""
    description = (
        f"For {show.listed(view.models)}, accuracy in percent against the number of distractors drawn at "
        f"random from those of each item, a line for each of the levels {show.listed(view.levels)}, and the "
        "accuracy of guessing."
    )
    return Chart("distractor-count", _conclusion(view), description, lambda width: _draw(view, width))


def _conclusion(view: View) -> str:
    """Hold the first level against the last at the largest number of distractors that both have."""
    curves = view.figures["by_distractor_count"]
    first, last = view.levels[0], view.levels[-1]
    common = min((len(curve) for level in (first, last) for curve in curves[level].values()), default=0)
    if common == 0:
        return "No accuracy is known"
    if first == last:
        ends = [[curve[at] for curve in curves[first].values()] for at in (0, common - 1)]
        alone, among = (show.between(rates, show.whole_percent) for rates in ends)
        return f"{alone} right with 1 distractor, {among} with {common}"
    easy, hard = (
        [curves[level][model][common - 1] for model in view.models if model in curves[level]]
        for level in (first, last)
    )
    shown = [show.between(rates, show.whole_percent) for rates in (easy, hard)]
    reading = (
        "their kind counts, not only their number"
        if max(hard) < min(easy)
        else "their kind counts little here"
    )
    found = f"{shown[0]} right at {words(first)} and {shown[1]} at {words(last)}"
    return f"With {show.plural(common, 'distractor')}, {found}: {reading}"


def _draw(view: View, width: int) -> Drawing:
    columns, panel = columns_for(width, len(view.models), 240)
    charts = [_panel(view, model, panel - _NAMES - _AXIS) for model in view.models]
    return alt.concat(*charts, columns=columns, spacing={"column": GUTTER, "row": 26})


def _panel(view: View, model: str, width: int) -> alt.LayerChart:
    colour = looks(view.models)[model].colour
    most = max(view.distractors.values())
    x = (
        alt.X("k:Q")
        .title("Distractors")
        .scale(domain=[1, most], nice=False)
        .axis(grid=False, values=_ticks(most), tickCount=20, format="d")
    )
    y = (
        alt.Y("accuracy:Q")
        .title("Items answered right, %")
        .scale(domain=[0, 100])
        .axis(tickCount=6, domain=False, ticks=False)
    )
    curves = alt.Chart(_curves(view, model)).encode(x=x, y=y)
    chance = pl.DataFrame([{"k": k, "accuracy": 100 / (k + 1)} for k in range(1, most + 1)])
    ends = alt.Chart(_ends(view, model)).encode(x="k:Q", y="place:Q", text="level:N")
    layers = [
        alt.Chart(chance).mark_line(color=MUTED, strokeDash=[3, 3], strokeWidth=1.5).encode(x=x, y=y),
        alt.Chart(chance.tail(1))
        .mark_text(color=MUTED, align="right", dy=-9, fontSize=11, text="chance")
        .encode(x=x, y=y),
        curves.mark_line(color=colour, strokeWidth=1.8).encode(detail="level:N"),
        alt.Chart(_ends(view, model))
        .mark_point(color=colour, filled=True, size=30, opacity=1)
        .encode(x="k:Q", y="accuracy:Q"),
        ends.mark_text(align="left", dx=6, stroke=PAPER, strokeWidth=4, strokeJoin="round", fontSize=11),
        ends.mark_text(align="left", dx=6, color=colour, fontSize=11),
    ]
    title = alt.TitleParams(model, color=colour, limit=width + _NAMES)
    return alt.LayerChart(layer=layers, width=width, height=_HEIGHT, title=title)


def _curves(view: View, model: str) -> pl.DataFrame:
    rows = [
        {"level": level, "k": k, "accuracy": 100 * rate}
        for level, by_model in view.figures["by_distractor_count"].items()
        for k, rate in enumerate(by_model.get(model, []), start=1)
    ]
    return pl.DataFrame(rows, schema={"level": pl.String, "k": pl.Int64, "accuracy": pl.Float64})


def _ends(view: View, model: str) -> pl.DataFrame:
    """Where each line ends, and the places of names that do not overlap among lines that end together."""
    ends = _curves(view, model).group_by("level", maintain_order=True).last()
    placed = [
        group.with_columns(
            place=pl.Series(spread(group["accuracy"].to_list(), 13 * 100 / _HEIGHT), dtype=pl.Float64)
        )
        for _, group in ends.group_by("k", maintain_order=True)
    ]
    return pl.concat(placed) if placed else ends.with_columns(place=pl.lit(0.0))


def _ticks(most: int) -> list[int]:
    return [k for k in (1, 4, 9, 14, 19, 29, 49, 99) if k <= most] or [1]
