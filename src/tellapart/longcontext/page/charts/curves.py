"""Score against the distance of the nearest evidence, and against the length of the context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from tellapart.longcontext.page.charts.axis import token_axis
from tellapart.longcontext.page.lengths import known, models_of
from tellapart.longcontext.page.tokens import about
from tellapart.longcontext.page.view import Figures, View
from tellapart.report import numbers as show
from tellapart.report.charts import GUTTER, Chart, Drawing, columns_for
from tellapart.report.palette import INK, Look, looks

_HEIGHT, _AXIS = 220, 56
_PANELS = {
    "by_distance": ("Distance of the nearest evidence", "tokens from evidence to question"),
    "by_length": ("Length of the context", "tokens"),
}


def curves_chart(view: View) -> Chart | None:
    """Two panels, a line a model; None where no score has a length or a distance."""
    panels = {by: _points(view, by) for by in _PANELS if _points(view, by)}
    if not panels:
        return None
    description = (
        "Mean score over distinct questions, with 95 % intervals where there is more than one conversation. "
        "Left: how many tokens stand between the nearest evidence and the question; right: how long the "
        "whole context is. Both axes are logarithmic."
    )
    if len(panels) == 1:
        description = description.split(" Left:")[0] + " The axis is logarithmic."
    return Chart("score-curves", _conclusion(view), description, lambda width: _draw(view, panels, width))


def _points(view: View, by: str) -> list[dict[str, Any]]:
    return [
        {
            "model": one["model"],
            "tokens": max(1, cell["tokens"]),
            "value": cell["value"],
            "low": cell["interval"]["low"] if cell["interval"] else None,
            "high": cell["interval"]["high"] if cell["interval"] else None,
        }
        for one in models_of(view)
        for cell in known(one[by])
    ]


def _conclusion(view: View) -> str:
    told = [sentence for one in models_of(view) if (sentence := _ends(one))]
    if not told:
        return "No model was asked at two distances: how its score falls cannot be seen"
    if len(told) > 3:
        return f"The scores of {len(told)} models by the distance of their evidence"
    return "; ".join(told)


def _ends(one: Figures) -> str | None:
    """The scores at the nearest and at the farthest evidence, as they are: the intervals are in the chart."""
    cells = known(one["by_distance"])
    if len(cells) < 2:
        return None
    near, far = cells[0], cells[-1]
    first, last = (show.whole_percent(cell["value"]) for cell in (near, far))
    return (
        f"{one['model']} scores {first} with evidence {_about(near)} tokens away, {last} at {_about(far)}"
        f"{_lowest(cells)}"
    )


def _lowest(cells: Sequence[Figures]) -> str:
    """The lowest score in between, where it is lower than at both ends; the nearest of equal ones."""
    low, ends = min(cells, key=_value), min(cells[0], cells[-1], key=_value)
    if show.whole_percent(low["value"]) == show.whole_percent(ends["value"]):
        return ""
    return f" (lowest: {show.whole_percent(low['value'])} at {_about(low)})"


def _value(cell: Figures) -> float:
    value: float = cell["value"]
    return value


def _about(cell: Figures) -> str:
    return about(cell["tokens"]).removeprefix("~")


def _draw(view: View, panels: dict[str, list[dict[str, Any]]], width: int) -> Drawing:
    names = list(dict.fromkeys(point["model"] for points in panels.values() for point in points))
    columns, room = columns_for(width, len(panels), 290)
    charts = [_panel(by, points, names, min(room, 620) - _AXIS) for by, points in panels.items()]
    return alt.concat(*charts, columns=columns, spacing={"column": GUTTER, "row": 28})


def _panel(by: str, points: list[dict[str, Any]], names: Sequence[str], width: int) -> alt.LayerChart:
    title, unit = _PANELS[by]
    x = token_axis("tokens", unit, [point["tokens"] for point in points], width)
    y = alt.Y("value:Q").title(None).scale(domain=[-0.03, 1.05], nice=False)
    y = y.axis(values=[0, 0.25, 0.5, 0.75, 1], tickCount=5, domain=False, ticks=False, format=".0%")
    layers: list[alt.Chart] = []
    for name, look in looks(names).items():
        frame = pl.DataFrame([point for point in points if point["model"] == name], schema=_SCHEMA)
        layers += _model(alt.Chart(frame).encode(x=x), y, look)
    head = alt.TitleParams(title, limit=width)
    shown = alt.LayerChart(layer=layers, width=width, height=_HEIGHT, title=head)
    return (
        shown
        if len(names) == 1
        else alt.LayerChart(
            layer=[*layers, _legend(points, names, x, y, width)], width=width, height=_HEIGHT, title=head
        )
    )


_SCHEMA = {"model": pl.String, "tokens": pl.Int64, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64}


def _model(base: alt.Chart, y: alt.Y, look: Look) -> list[alt.Chart]:
    return [
        base.mark_line(color=look.colour, strokeWidth=1.8, strokeDash=list(look.dash)).encode(y=y),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(color=look.colour, strokeWidth=1.2)
        .encode(y=alt.Y("low:Q", title=None), y2="high:Q"),
        base.mark_point(filled=True, size=64, color=look.colour, shape=look.shape, opacity=1).encode(y=y),
    ]


def _legend(points: list[dict[str, Any]], names: Sequence[str], x: alt.X, y: alt.Y, width: int) -> alt.Chart:
    """The same points once more, unseen, for a legend of colours and shapes."""
    found = looks(names)
    legend = alt.Legend(
        orient="bottom",
        title=None,
        columns=1 if width < 400 else 2,
        labelLimit=width - 40,
        symbolOpacity=1,
        labelFontSize=12,
        labelColor=INK,
    )
    colours, shapes = [one.colour for one in found.values()], [one.shape for one in found.values()]
    base = alt.Chart(pl.DataFrame(points, schema=_SCHEMA)).mark_point(filled=True, size=64, opacity=0)
    drawn: alt.Chart = base.encode(
        x=x,
        y=y,
        color=alt.Color("model:N").scale(domain=list(names), range=colours).legend(legend),
        shape=alt.Shape("model:N").scale(domain=list(names), range=shapes).legend(legend),
    )
    return drawn
