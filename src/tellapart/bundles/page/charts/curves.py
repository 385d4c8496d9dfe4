"""Small multiples: a panel a tier, a curve a model, and above each panel what to read off it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import polars as pl

from tellapart.report.charts import GUTTER, Drawing, columns_for
from tellapart.report.palette import GRID, MUTED, looks

_PLOT, _ROW, _AXIS = 210, 17, 50
_KEY = 20
"""Pixels of a line sample in the key."""

_LETTER, _WIDER = 7.5, 0.82
"""Pixels of a letter of the figure; names are cut shorter than they are, as a page's font may be wider."""


@dataclass(frozen=True)
class Panel:
    """A panel.

    Attributes:
        title: Above it.
        curves: By model, points (x, y) with ascending x; a model without points has no curve.
        shown: By model, the figure beside its name.
        marks: By model, the point of its curve that the figure is read at.
    """

    title: str
    curves: dict[str, list[tuple[float, float]]]
    shown: dict[str, str]
    marks: dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Frame:
    """What all panels have in common.

    Attributes:
        models: In the order of their looks.
        x: The axis; of the field ``x:Q``.
        y_title: Of the axis from 0 to 100.
        shaded: From where to where along x the ground is shaded; None for nowhere.
        least: Pixels that a panel needs.
    """

    models: tuple[str, ...]
    x: alt.X
    y_title: str
    shaded: tuple[float, float] | None = None
    least: int = 220


def draw_panels(panels: Sequence[Panel], frame: Frame, width: int) -> Drawing:
    """Draw panels in rows.

    Args:
        panels: At least one.
        frame: What they have in common.
        width: Pixels, axes included.
    """
    columns, room = columns_for(width, len(panels), frame.least)
    charts = [_panel(panel, frame, room - _AXIS) for panel in panels]
    return alt.concat(*charts, columns=columns, spacing={"column": GUTTER, "row": 24})


def _panel(panel: Panel, frame: Frame, width: int) -> alt.LayerChart:
    top = _ROW * len(frame.models) + 8
    y = alt.Y("y:Q").title(frame.y_title).scale(domain=[0, 100], range=[top + _PLOT, top])
    y = y.axis(values=[0, 25, 50, 75, 100], tickCount=5, domain=False, ticks=False)
    style = looks(frame.models)
    layers = _ground(frame, y)
    for i, model in enumerate(frame.models):
        look, points = style[model], panel.curves.get(model, [])
        rows = pl.DataFrame(points, schema={"x": pl.Float64, "y": pl.Float64}, orient="row")
        curve = alt.Chart(rows).mark_line(
            color=look.colour,
            strokeWidth=2,
            strokeDash=list(look.dash),
        )
        layers.append(curve.encode(x=frame.x, y=y))
        layers += _key(model, panel.shown.get(model, ""), i, width, look.colour, list(look.dash))
    for model, (x, height) in panel.marks.items():
        mark = alt.Chart(pl.DataFrame({"x": [x], "y": [height]})).mark_point(
            filled=True, shape=style[model].shape, size=56, color=style[model].colour, opacity=1
        )
        layers.append(mark.encode(x=frame.x, y=y))
    title = alt.TitleParams(panel.title, limit=width)
    return alt.LayerChart(layer=layers, width=width, height=top + _PLOT, title=title)


def _ground(frame: Frame, y: alt.Y) -> list[alt.Chart]:
    if frame.shaded is None:
        return []
    low, high = frame.shaded
    ground = pl.DataFrame({"x": [low], "x2": [high], "y": [0.0], "top": [100.0]})
    base = alt.Chart(ground)
    return [
        base.mark_rect(color=GRID, opacity=0.55).encode(x=frame.x, x2="x2:Q", y=y, y2="top:Q"),
        base.mark_rule(color=MUTED, strokeWidth=1.2).encode(x=alt.X("x2:Q"), y=y, y2="top:Q"),
    ]


def _key(model: str, shown: str, i: int, width: int, colour: str, dash: list[int]) -> list[alt.Chart]:
    """A line of the key: how the curve looks, whose it is, and the figure."""
    line = pl.DataFrame({"name": [model], "shown": [shown]})
    y = _ROW * i + 8
    room = _WIDER * (width - _KEY - 6 - _LETTER * (len(shown) + 1))
    base = alt.Chart(line)
    sample = base.mark_rule(color=colour, strokeWidth=2, strokeDash=dash)
    name = base.mark_text(align="left", baseline="middle", color=colour, fontWeight="bold", limit=room)
    figure = base.mark_text(align="right", baseline="middle")
    return [
        sample.encode(x=alt.value(0), x2=alt.value(_KEY), y=alt.value(y)),
        name.encode(x=alt.value(_KEY + 6), y=alt.value(y), text="name:N"),
        figure.encode(x=alt.value(width), y=alt.value(y), text="shown:N"),
    ]
