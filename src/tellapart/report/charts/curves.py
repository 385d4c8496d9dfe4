"""Curves: lines with points, their doubt, lines that explain, and a key above the plot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from rich.cells import cell_len

from tellapart.report.charts.axes import LETTER, Axis, columns_for, heading, in_panels, of, short
from tellapart.report.charts.picture import Drawing, alt
from tellapart.report.palette import INK, MUTED, PAPER, Look

REFERENCE = Look(MUTED, "stroke", (3, 3))
"""The look of a line that others are held against, such as that of chance."""

_AXIS, _PADDING = 58, 16
_SAMPLE = 34
"""Pixels of the piece of a curve in the key, and of what is around its name."""


@dataclass(frozen=True)
class Point:
    """A point of a curve, or a mark by itself.

    Attributes:
        line: The curve it belongs to; empty for none.
        low: Lower end of the interval of ``y``.
        high: Its upper end.
        shape: Of the mark; empty for that of the curve.
        size: Of the mark, in square pixels.
        text: Stands beside it.
        panel: The panel it stands in, by its title.
    """

    x: float
    y: float
    line: str = ""
    low: float | None = None
    high: float | None = None
    shape: str = ""
    size: float = 60
    text: str = ""
    panel: str = ""


@dataclass(frozen=True)
class Rule:
    """A broken line from the top of a panel to its foot."""

    at: float
    panel: str


def curves(
    lines: Sequence[Point],
    width: int,
    x: Axis | Mapping[str, Axis],
    y: Axis,
    *,
    looks: Mapping[str, Look],
    marks: Sequence[Point] | None = None,
    rules: Sequence[Rule] = (),
    beside: bool = False,
    height: int = 220,
    least: int = 240,
    widest: int = 760,
) -> Drawing:
    """Draw curves, in panels as they come; several have a key."""
    drawn, marked = (_styled(points, looks, beside) for points in (lines, lines if marks is None else marks))
    titles = pl.concat([drawn, marked])["panel"].unique(maintain_order=True).to_list()
    columns, room = columns_for(width, len(titles), least)
    plot = min(room, widest) - _AXIS - _PADDING // columns
    key = _key(list(looks), width - _AXIS) if len(looks) > 1 else None

    def draw(panel: str) -> alt.LayerChart:
        across = (x if isinstance(x, Axis) else x[panel]).x("x", plot)
        at = pl.DataFrame({"at": [float(rule.at) for rule in rules if rule.panel == panel]})
        broken = alt.Chart(at).mark_rule(color=MUTED, strokeDash=[4, 4], strokeWidth=1.3)
        layers = [broken.encode(x=of(across, "at"))] if at.height else []
        here = (drawn.filter(panel=panel), marked.filter(panel=panel))
        return alt.LayerChart(
            layer=[*layers, *_layers(*here, across, y.y("y"), looks, key)],
            width=plot,
            height=height,
            title=heading(panel, plot + _AXIS),
        )

    return in_panels(titles, columns, draw)


def _styled(points: Sequence[Point], looks: Mapping[str, Look], beside: bool) -> pl.DataFrame:
    """Points with the colours and shapes of their curves; without a curve, in ink.

    Those of several curves are moved beside one another where it is wanted; references stay.
    """
    moved = [name for name, look in looks.items() if look != REFERENCE] if beside else []
    step = min(0.13, 0.6 / max(len(moved), 1))
    offsets = {name: step * (i - (len(moved) - 1) / 2) for i, name in enumerate(moved)}
    code = {name: str(i) for i, name in enumerate(looks)}
    rows = [
        {
            **vars(point),
            # Of two names that are cut alike each has a curve of its own.
            "line": code.get(point.line),
            "x": point.x + offsets.get(point.line, 0.0),
            "text": short(point.text),
            "colour": looks[point.line].colour if point.line else INK,
            "form": point.shape or (looks[point.line].shape if point.line else "circle"),
        }
        for point in points
    ]
    names = ("x", "y", "line", "low", "high", "text", "size", "panel", "colour", "form")
    texts = {"line", "text", "panel", "colour", "form"}
    return pl.DataFrame(rows, schema={name: pl.String if name in texts else pl.Float64 for name in names})


def _layers(
    lines: pl.DataFrame,
    marks: pl.DataFrame,
    x: alt.X,
    y: alt.Y,
    looks: Mapping[str, Look],
    key: alt.Legend | None,
) -> list[alt.Chart]:
    codes = [str(i) for i in range(len(looks))]
    colours = alt.Scale(domain=codes, range=[look.colour for look in looks.values()])
    dashes = alt.Scale(domain=codes, range=[list(look.dash) for look in looks.values()])
    curve = (
        alt.Chart(lines)
        .mark_line(strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=alt.Color("line:N", scale=colours, legend=key),
            strokeDash=alt.StrokeDash("line:N", scale=dashes, legend=key),
            order=alt.Order("x:Q"),
        )
    )
    doubt = lines.drop_nulls("low")
    bars = alt.Chart(doubt).mark_rule(strokeWidth=1.6)
    colour = alt.Color("colour:N", scale=None, legend=None)
    mark = (
        alt.Chart(marks)
        .mark_point(strokeWidth=1.2, opacity=1)
        .encode(
            x=x,
            y=y,
            fill=alt.Fill("colour:N", scale=None, legend=None),
            stroke=alt.Stroke("colour:N", scale=None, legend=None),
            shape=alt.Shape("form:N", scale=None, legend=None),
            size=alt.Size("size:Q", scale=None, legend=None),
        )
    )
    intervals = [bars.encode(x=x, y=of(y, "low"), y2=alt.Y2("high:Q"), color=colour)] if doubt.height else []
    return [curve, *intervals, mark, *_texts(marks, lines, x, y)]


def _texts(marks: pl.DataFrame, lines: pl.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Texts beside their marks, on paper of their own; those on the right end at their mark."""
    layers = []
    ends = [*lines["x"], *marks["x"]] or [0.0]
    third = min(ends) + (max(ends) - min(ends)) / 3
    for right in (False, True):
        texts = marks.filter((pl.col("text") != "") & ((pl.col("x") > third) == right))
        if texts.height:
            side: dict[str, Any] = {"align": "right", "dx": -6} if right else {"align": "left", "dx": 6}
            text = alt.Chart(texts).encode(x=x, y=y, text=alt.Text("text:N"))
            halo = text.mark_text(stroke=PAPER, strokeWidth=3, dy=-9, limit=140, **side)
            layers += [halo, text.mark_text(dy=-9, limit=140, **side)]
    return layers


def _key(names: Sequence[str], width: int) -> alt.Legend:
    """A piece of each curve with its name, in as many columns as there is room for."""
    wanted = max(map(cell_len, names)) * LETTER + _SAMPLE
    columns = max(1, min(len(names), int(width // wanted)))
    room = max(20, int(min(width / columns, wanted)) - _SAMPLE)
    return alt.Legend(
        title=None,
        orient="top",
        columns=columns,
        labelExpr=f"{json.dumps([short(name) for name in names])}[toNumber(datum.value)]",
        labelLimit=room,
        symbolType="stroke",
        symbolStrokeWidth=2,
        symbolSize=300,
        symbolLimit=0,
    )
