"""Curves: lines with points, their doubt, lines that explain, and a key above the plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from rich.cells import cell_len

from tellapart.report.charts.axes import (
    LETTER,
    SAFE,
    Axis,
    Rule,
    codes,
    columns_for,
    frame_of,
    heading,
    in_panels,
    of,
    rule_layers,
    short,
)
from tellapart.report.charts.picture import Drawing
from tellapart.report.charts.vega import alt
from tellapart.report.palette import INK, MUTED, PAPER, Look

REFERENCE = Look(MUTED, "stroke", (3, 3))
"""The look of a line that others are held against, such as that of chance."""

_ROW, _SAMPLE = 17, 22
"""Pixels of a line of the key, and of the piece of a curve in it."""

_AXIS, _ABOVE, _PADDING = 58, 6, 16
_SHORT = 8
"""Letters of a text that may stand beyond the last mark."""


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
    drawn, marked = (_styled(points, looks) for points in (lines, lines if marks is None else marks))
    if beside:
        drawn, marked = (_apart(frame, looks) for frame in (drawn, marked))
    titles = pl.concat([drawn, marked])["panel"].unique(maintain_order=True).to_list()
    columns, room = columns_for(width, len(titles), least)
    plot = min(room, widest) - _AXIS - _PADDING // columns
    shown = looks if len(looks) > 1 else {}

    def draw(i: int, panel: str) -> alt.LayerChart:
        layers, top = _key(shown, plot, shapes=marked["line"].is_in(list(shown)).any())
        if i:
            # One key is enough, and panels beside it begin where its plot does.
            layers, top = [], top if i < columns else _ABOVE
        across = (x if isinstance(x, Axis) else x[panel]).x("x", plot)
        up = y.y("y", (top + height, top))
        here = [rule for rule in rules if rule.panel == panel]
        layers += rule_layers(here, across, (top, top + height))
        layers += _layers(drawn.filter(panel=panel), marked.filter(panel=panel), across, up)
        title = heading(panel, plot + _AXIS)
        return alt.LayerChart(layer=layers, width=plot, height=top + height, title=title)

    return in_panels(titles, columns, draw)


def _styled(points: Sequence[Point], looks: Mapping[str, Look]) -> pl.DataFrame:
    """Points with the colours, dashes and shapes of their curves; without a curve, in ink."""
    every = {"": Look(INK, "circle", (1, 0)), **looks}
    look = pl.DataFrame(
        {
            "line": list(every),
            "colour": [style.colour for style in every.values()],
            "dash": [list(style.dash) for style in every.values()],
            "form": [style.shape for style in every.values()],
            "code": list(codes(list(every)).values()),
        },
        schema_overrides={"dash": pl.List(pl.Int64)},
    )
    frame = frame_of(points, Point).join(look, on="line", how="left", maintain_order="left")
    return frame.with_columns(
        text=pl.Series([short(point.text) for point in points], dtype=pl.String),
        form=pl.when(pl.col("shape") == "").then("form").otherwise("shape"),
    )


def _apart(frame: pl.DataFrame, looks: Mapping[str, Look]) -> pl.DataFrame:
    """Move points of several curves beside one another; references stay."""
    moved = [name for name, look in looks.items() if look != REFERENCE]
    step = min(0.13, 0.6 / max(len(moved), 1))
    offsets = {name: step * (i - (len(moved) - 1) / 2) for i, name in enumerate(moved)}
    return frame.with_columns(
        x=pl.col("x") + pl.col("line").replace_strict(offsets, default=0.0, return_dtype=pl.Float64)
    )


def _layers(lines: pl.DataFrame, marks: pl.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    colour = alt.Color("colour:N", scale=None, legend=None)
    curve = (
        alt.Chart(lines).mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, detail=alt.Detail("code:N"))
    )
    doubt = alt.Chart(lines.filter(pl.col("low").is_not_null())).mark_rule(strokeWidth=1.6)
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
    dashed = curve.encode(
        strokeDash=alt.StrokeDash("dash:N", scale=None, legend=None), order=alt.Order("x:Q")
    )
    return [
        dashed,
        *(
            [doubt.encode(x=x, y=of(y, "low"), y2=alt.Y2("high:Q"), color=colour)]
            if lines["low"].count()
            else []
        ),
        mark,
        *_texts(marks, lines, x, y),
    ]


def _texts(marks: pl.DataFrame, lines: pl.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Texts beside their marks, on paper of their own; long ones point to where there is more room."""
    every = pl.concat([lines["x"], marks["x"]])
    low, high = (float(end) for end in every.sort()[[0, -1]]) if every.len() else (0.0, 0.0)
    third = low + (high - low) / 3
    turned = (pl.col("text").str.len_chars() > _SHORT) & (pl.col("x") > third)
    layers = []
    for right in (False, True):
        texts = marks.with_columns(turned=turned).filter((pl.col("text") != "") & (pl.col("turned") == right))
        if texts.height:
            style: dict[str, Any] = {"dy": -9, "limit": 140, "align": "right" if right else "left"}
            text = alt.Chart(texts).encode(x=x, y=y, text=alt.Text("text:N"))
            halo = text.mark_text(stroke=PAPER, strokeWidth=3, dx=-6 if right else 6, **style)
            layers += [halo, text.mark_text(dx=-6 if right else 6, **style)]
    return layers


def _key(looks: Mapping[str, Look], width: int, *, shapes: bool) -> tuple[list[alt.Chart], int]:
    """A piece of each curve with its name, above the plot, and the pixels that this takes."""
    if not looks:
        return [], _ABOVE
    wanted = max(map(cell_len, looks)) * 1.1 * LETTER + _SAMPLE + 18
    columns = max(1, min(len(looks), int(width // wanted)))
    room = width // columns
    frame = pl.DataFrame(
        {
            "x": [room * (i % columns) for i in range(len(looks))],
            "y": [_ROW * (i // columns) + 8 for i in range(len(looks))],
            "name": list(map(short, looks)),
            "colour": [look.colour for look in looks.values()],
            "dash": [list(look.dash) for look in looks.values()],
            "shape": [look.shape for look in looks.values()],
        }
    ).with_columns(
        end=pl.col("x") + _SAMPLE, middle=pl.col("x") + _SAMPLE // 2, text=pl.col("x") + _SAMPLE + 6
    )

    def at(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=None, axis=None)

    base = alt.Chart(frame).encode(
        y=alt.Y("y:Q", scale=None, axis=None), color=alt.Color("colour:N", scale=None, legend=None)
    )
    dash = alt.StrokeDash("dash:N", scale=None, legend=None)
    name = base.mark_text(align="left", fontWeight="bold", limit=max(20, SAFE * (room - _SAMPLE - 12)))
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=at("x"), x2=alt.X2("end:Q"), strokeDash=dash),
        name.encode(x=at("text"), text=alt.Text("name:N")),
    ]
    if shapes:
        shape = alt.Shape("shape:N", scale=None, legend=None)
        layers.append(base.mark_point(filled=True, size=44, opacity=1).encode(x=at("middle"), shape=shape))
    return layers, _ROW * -(-len(looks) // columns) + 12
