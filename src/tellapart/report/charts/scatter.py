"""Scatter: points by two metrics with their intervals, of which some are strong, and the names that fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl
from rich.cells import cell_len

from tellapart.report.charts.axes import Axis, of, short
from tellapart.report.charts.picture import Drawing, alt
from tellapart.report.palette import INK, MUTED, PAPER, looks

MOST_DRAWN = 1500
"""Of more points, the strong ones are drawn first and then every so many-th of the rest."""

_HEIGHT, _LEFT, _RIGHT = 354, 62, 12
_LETTER, _LINE = 7.6, 14.0
"""Pixels of a letter of a name, and of a line."""

_PERCENT = "format(100 * datum.value, '.3~g')"

_MOST_NAMED, _FEW = 40, 30
"""So many names are drawn; of so few points, those that are not strong are named too."""


Box = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels."""


@dataclass(frozen=True)
class Scatter:
    """Points to be drawn.

    Attributes:
        points: One or more: ``name``, and ``value_i``, ``low_i`` and ``high_i`` for the axes 0 and 1.
        strong: Names of the points on the frontier.
        open: Names of points that are drawn as a ring.
        upwards: By axis, whether more is better.
        joined: Whether a line joins the frontier.
        percent: By axis, whether its values are rates in [0, 1], to be shown in percent.
    """

    points: pl.DataFrame
    strong: frozenset[str]
    open: frozenset[str]
    axes: tuple[str, str]
    upwards: tuple[bool, bool]
    joined: bool = True
    percent: tuple[bool, bool] = (False, False)

    @property
    def cut(self) -> bool:
        """Whether there are more points than are drawn."""
        return self.points.height > MOST_DRAWN

    def frame(self) -> pl.DataFrame:
        """What is drawn, with ``strong`` and ``open``; the strong ones first."""
        marks = {
            mark: pl.Series([name in names for name in self.points["name"]], dtype=pl.Boolean)
            for mark, names in (("strong", self.strong), ("open", self.open))
        }
        ordered = self.points.with_columns(**marks).sort(
            "value_0", "value_1", "name", descending=[self.upwards[0], self.upwards[1], False]
        )
        strong = _thinned(ordered.filter("strong"), MOST_DRAWN)
        return pl.concat([strong, _thinned(ordered.filter(~pl.col("strong")), MOST_DRAWN - strong.height)])


def scatter(chart: Scatter, width: int) -> Drawing:
    """Draw points, their intervals, the line along the strong ones, and the names that fit."""
    frame = chart.frame()
    plot = width - _LEFT - _RIGHT
    spans = (_span(frame, 0), _span(frame, 1))
    titles = [f"{title}, %" if rate else title for title, rate in zip(chart.axes, chart.percent, strict=True)]
    labels = [_PERCENT if rate else "" for rate in chart.percent]
    x = Axis(titles[0], spans[0], 6 if width > 500 else 4, label=labels[0], grid=True).x("value_0", plot)
    y = Axis(titles[1], spans[1], 6, label=labels[1]).y("value_1")
    colour = next(iter(looks(["frontier"]).values())).colour
    on, off = frame.filter("strong"), frame.filter(~pl.col("strong"))
    dots = [
        alt.Chart(off.filter(open=ring)).mark_point(
            size=46, fill=PAPER if ring else MUTED, stroke=MUTED, strokeWidth=1.4, opacity=1 if ring else 0.55
        )
        for ring in (False, True)
    ]
    dots.append(
        alt.Chart(on).mark_point(filled=True, size=76, color=colour, opacity=1, stroke=PAPER, strokeWidth=0.7)
    )
    step: Literal["step-before", "step-after"] = "step-before" if chart.upwards[0] else "step-after"
    # Between two points of a frontier the worse of both figures is what can be had.
    stairs = alt.Chart(on.unique(["value_0", "value_1"], maintain_order=True)).mark_line(
        color=colour, strokeWidth=5, opacity=0.22, interpolate=step
    )
    layers = [
        *_bars(off, x, y, MUTED, 0.3),
        *([stairs.encode(x=x, y=y, order="value_0:Q")] if chart.joined else []),
        *_bars(on, x, y, colour, 0.6),
        *(dot.encode(x=x, y=y) for dot in dots),
        *_labels(_named(frame, spans, plot)),
    ]
    return alt.LayerChart(layer=layers, width=plot, height=_HEIGHT)


def _bars(frame: pl.DataFrame, x: alt.X, y: alt.Y, colour: str, opacity: float) -> list[alt.Chart]:
    """The intervals along both axes."""
    across, up = frame.drop_nulls("low_0"), frame.drop_nulls("low_1")
    style: dict[str, Any] = {"color": colour, "opacity": opacity, "strokeWidth": 1.3}
    bars = [
        alt.Chart(across).mark_rule(**style).encode(x=of(x, "low_0"), x2=alt.X2("high_0:Q"), y=y),
        alt.Chart(up).mark_rule(**style).encode(x=x, y=of(y, "low_1"), y2=alt.Y2("high_1:Q")),
    ]
    return [bar for bar, rows in zip(bars, (across, up), strict=True) if rows.height]


def _labels(named: pl.DataFrame) -> list[alt.Chart]:
    styles: dict[bool, dict[str, Any]] = {
        True: {"color": INK, "fontWeight": "bold", "fontSize": 12},
        False: {"color": MUTED, "fontSize": 11},
    }
    return [
        alt.Chart(named.filter(strong=strong))
        .mark_text(align="left", baseline="middle", **style)
        .encode(
            x=alt.X("left:Q", scale=None, axis=None),
            y=alt.Y("middle:Q", scale=None, axis=None),
            text=alt.Text("name:N"),
        )
        for strong, style in styles.items()
    ]


def _named(frame: pl.DataFrame, spans: tuple[tuple[float, float], ...], plot: int) -> pl.DataFrame:
    """Names that lie on no other and on no point, in pixels; the strong ones come first."""
    (x_low, x_high), (y_low, y_high) = spans
    at = [
        (plot * (x - x_low) / (x_high - x_low), _HEIGHT * (y_high - y) / (y_high - y_low))
        for x, y in frame.select("value_0", "value_1").iter_rows()
    ]
    taken = [(px - 5, py - 5, px + 5, py + 5) for px, py in at]
    rows: list[tuple[str, bool, float, float]] = []
    for (px, py), (name, strong, is_open) in zip(
        at, frame.select("name", "strong", "open").iter_rows(), strict=True
    ):
        if len(rows) == _MOST_NAMED or not (strong or is_open or frame.height <= _FEW):
            continue
        wide = cell_len(short(name)) * _LETTER
        boxes = [
            (left, middle - _LINE / 2, left + wide, middle + _LINE / 2)
            for left in (px + 7, px - 7 - wide)
            for middle in (py - 11, py + 11)
        ]
        free = next((box for box in boxes if _is_free(box, taken, plot)), None)
        if free:
            taken.append(free)
            rows.append((short(name), strong, free[0], (free[1] + free[3]) / 2))
    schema = {"name": pl.String, "strong": pl.Boolean, "left": pl.Float64, "middle": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _is_free(box: Box, taken: Sequence[Box], plot: int) -> bool:
    """Whether a box lies inside the plot and on no other."""
    left, top, right, bottom = box
    inside = left >= 0 and right <= plot + _RIGHT / 2 and top >= 0 and bottom <= _HEIGHT
    apart = (right <= x0 or x1 <= left or bottom <= y0 or y1 <= top for x0, y0, x1, y1 in taken)
    return inside and all(apart)


def _span(frame: pl.DataFrame, i: int) -> tuple[float, float]:
    """Ends of an axis: all values and intervals, and a little more."""
    columns = [frame[name].drop_nulls().to_list() for name in (f"value_{i}", f"low_{i}", f"high_{i}")]
    every = [value for column in columns for value in column]
    low, high = min(every), max(every)
    room = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return low - room, high + room


def _thinned(frame: pl.DataFrame, most: int) -> pl.DataFrame:
    if frame.height <= most:
        return frame
    return frame[[i * frame.height // most for i in range(most)]]
