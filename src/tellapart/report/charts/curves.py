"""Curves: lines with points, their doubt, lines and grounds that explain, and a key above the plot."""

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
    Band,
    Rule,
    codes,
    columns_for,
    frame_of,
    ground,
    heading,
    in_panels,
    of,
    pixel,
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

_DIGIT, _NAME = 7.4, 120
"""Pixels of a letter of a figure in the key, and of the longest name that panels make room for."""


@dataclass(frozen=True)
class Point:
    """A point of a curve, or a mark by itself.

    Attributes:
        line: The curve it belongs to; empty for none.
        low: Lower end of the interval of ``y``.
        high: Its upper end.
        shape: Of the mark; empty for that of the curve.
        hollow: Whether the mark is a ring.
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
    hollow: bool = False
    size: float = 60
    text: str = ""
    panel: str = ""


Figures = Mapping[str, Mapping[str, str]]
"""By panel and curve, what the key says at the right of the curve's name."""


def curves(
    lines: Sequence[Point],
    width: int,
    x: Axis | Mapping[str, Axis],
    y: Axis,
    *,
    looks: Mapping[str, Look],
    key: Mapping[str, str] | None = None,
    figures: Figures | None = None,
    marks: Sequence[Point] | None = None,
    rules: Sequence[Rule] = (),
    bands: Sequence[Band] = (),
    joined: bool = True,
    beside: bool = False,
    panels: Sequence[str] = (),
    height: int = 220,
    least: int = 240,
    widest: int = 760,
) -> Drawing:
    """Draw curves, in panels as they come."""
    drawn, marked = (_styled(points, looks) for points in (lines, lines if marks is None else marks))
    if beside:
        drawn, marked = (_apart(frame, looks) for frame in (drawn, marked))
    titles = list(panels) or pl.concat([drawn, marked])["panel"].unique(maintain_order=True).to_list()
    figures = {panel: of_panel for panel, of_panel in (figures or {}).items() if of_panel}
    if figures:
        figure_letters = max(cell_len(text) for of_panel in figures.values() for text in of_panel.values())
        names = min(LETTER * max(map(cell_len, looks), default=0), _NAME)
        least = max(least, round(_AXIS + _SAMPLE + 18 + _DIGIT * figure_letters + names))
    columns, room = columns_for(width, len(titles), least)
    plot = min(room, widest) - _AXIS - _PADDING // columns
    if key is None:
        key = {name: name for name in looks} if len(looks) > 1 or figures else {}

    def draw(i: int, panel: str) -> alt.LayerChart:
        shapes = marked["line"].is_in(list(key)).any()
        layers, top = _key(key, looks, figures.get(panel, {}), plot, shapes=shapes)
        if i and not figures:
            # One key is enough, and panels beside it begin where its plot does.
            layers, top = [], top if i < columns else _ABOVE
        across = (x if isinstance(x, Axis) else x[panel]).x("x", plot)
        up = y.y("y", (top + height, top))
        here = [rule for rule in rules if rule.panel in (None, panel)]
        layers += ground(bands, here, across, up, plot, (top, top + height))
        layers += _layers(drawn.filter(panel=panel), marked.filter(panel=panel), across, up, joined=joined)
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
        fill=pl.when("hollow").then(pl.lit(PAPER)).otherwise("colour"),
    )


def _apart(frame: pl.DataFrame, looks: Mapping[str, Look]) -> pl.DataFrame:
    """Move points of several curves beside one another; references stay."""
    moved = [name for name, look in looks.items() if look != REFERENCE]
    step = min(0.13, 0.6 / max(len(moved), 1))
    offsets = {name: step * (i - (len(moved) - 1) / 2) for i, name in enumerate(moved)}
    return frame.with_columns(
        x=pl.col("x") + pl.col("line").replace_strict(offsets, default=0.0, return_dtype=pl.Float64)
    )


def _layers(lines: pl.DataFrame, marks: pl.DataFrame, x: alt.X, y: alt.Y, *, joined: bool) -> list[alt.Chart]:
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
            fill=alt.Fill("fill:N", scale=None, legend=None),
            stroke=alt.Stroke("colour:N", scale=None, legend=None),
            shape=alt.Shape("form:N", scale=None, legend=None),
            size=alt.Size("size:Q", scale=None, legend=None),
        )
    )
    dashed = curve.encode(
        strokeDash=alt.StrokeDash("dash:N", scale=None, legend=None), order=alt.Order("x:Q")
    )
    return [
        *([dashed] if joined else []),
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


def _key(
    names: Mapping[str, str],
    looks: Mapping[str, Look],
    figures: Mapping[str, str],
    width: int,
    *,
    shapes: bool,
) -> tuple[list[alt.Chart], int]:
    """A piece of each curve with its name and figure, above the plot, and the pixels that this takes."""
    if not names:
        return [], _ABOVE
    wanted = max(map(cell_len, names.values())) * 1.1 * LETTER + _SAMPLE + 18
    columns = 1 if figures else max(1, min(len(names), int(width // wanted)))
    room = width // columns
    frame = pl.DataFrame(
        {
            "x": [room * (i % columns) for i in range(len(names))],
            "y": [_ROW * (i // columns) + 8 for i in range(len(names))],
            "name": [short(name) for name in names.values()],
            "figure": [figures.get(name, "") for name in names],
            "colour": [looks[name].colour for name in names],
            "dash": [list(looks[name].dash) for name in names],
            "shape": [looks[name].shape for name in names],
        }
    ).with_columns(
        end=pl.col("x") + _SAMPLE, middle=pl.col("x") + _SAMPLE // 2, text=pl.col("x") + _SAMPLE + 6
    )
    taken = max(map(cell_len, frame["figure"])) * _DIGIT
    limit = max(20, SAFE * (room - _SAMPLE - 12 - taken))

    def at(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=None, axis=None)

    base = alt.Chart(frame).encode(
        y=alt.Y("y:Q", scale=None, axis=None), color=alt.Color("colour:N", scale=None, legend=None)
    )
    dash = alt.StrokeDash("dash:N", scale=None, legend=None)
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=at("x"), x2=alt.X2("end:Q"), strokeDash=dash),
        base.mark_text(align="left", fontWeight="bold", limit=limit).encode(
            x=at("text"), text=alt.Text("name:N")
        ),
    ]
    if shapes:
        shape = alt.Shape("shape:N", scale=None, legend=None)
        layers.append(base.mark_point(filled=True, size=44, opacity=1).encode(x=at("middle"), shape=shape))
    if figures:
        figure = alt.Chart(frame).mark_text(align="right", color=INK)
        layers.append(
            figure.encode(
                x=pixel(alt.XValue, width), y=alt.Y("y:Q", scale=None, axis=None), text=alt.Text("figure:N")
            )
        )
    return layers, _ROW * -(-len(names) // columns) + 12
