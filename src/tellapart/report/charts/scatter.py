"""Scatter: points by two metrics with their intervals, of which some are strong, and the names that fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import polars as pl
from rich.cells import cell_len

from tellapart.report.charts.axes import Axis, of, short
from tellapart.report.charts.picture import Drawing
from tellapart.report.charts.vega import alt
from tellapart.report.palette import INK, MUTED, PAPER, looks

MOST_DRAWN = 1500
"""Of more points, the strong ones are drawn first and then every so many-th of the rest."""

_HEIGHT = 354
_LEFT, _RIGHT = 62, 12
_LETTERS, _LINE = {True: 7.6, False: 6.6}, 14.0
"""Pixels of a letter of a strong name and of another, and of a line."""

_PERCENT = "format(100 * datum.value, '.3~g')"

_MOST_NAMED = 40
_FEW = 30
"""Of so many points, those that are not strong are named too."""

Box = tuple[float, float, float, float]


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
            mark: pl.col("name").is_in(pl.Series(sorted(names), dtype=pl.String).implode())
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
    on, off = frame.filter("strong"), frame.filter(~pl.col("strong"))
    colour = next(iter(looks(["frontier"]).values())).colour
    layers = [*_crosses(off, x, y, MUTED, 0.3), *(_faded(off, ring, x, y) for ring in (False, True))]
    if chart.joined:
        layers.append(_stairs(on, chart.upwards[0], x, y, colour))
    strong = alt.Chart(on).mark_point(
        filled=True, size=76, color=colour, opacity=1, stroke=PAPER, strokeWidth=0.7
    )
    layers += [*_crosses(on, x, y, colour, 0.6), strong.encode(x=x, y=y)]
    named = _named(frame, spans, plot)
    return alt.LayerChart(
        layer=[*layers, *(_labels(named, strong) for strong in (False, True))], width=plot, height=_HEIGHT
    )


def _faded(off: pl.DataFrame, ring: bool, x: alt.X, y: alt.Y) -> alt.Chart:
    fill, opacity = (PAPER, 1.0) if ring else (MUTED, 0.55)
    base = alt.Chart(off.filter(pl.col("open") == ring))
    mark: alt.Chart = base.mark_point(size=46, fill=fill, stroke=MUTED, strokeWidth=1.4, opacity=opacity)
    return mark.encode(x=x, y=y)


def _stairs(on: pl.DataFrame, upwards: bool, x: alt.X, y: alt.Y, colour: str) -> alt.Chart:
    """Stairs: between two points of a frontier the worse of both figures is what can be had."""
    step: Literal["step-before", "step-after"] = "step-before" if upwards else "step-after"
    base = alt.Chart(on.unique(["value_0", "value_1"], maintain_order=True))
    line: alt.Chart = base.mark_line(color=colour, strokeWidth=5, opacity=0.22, interpolate=step)
    return line.encode(x=x, y=y, order="value_0:Q")


def _crosses(frame: pl.DataFrame, x: alt.X, y: alt.Y, colour: str, opacity: float) -> list[alt.Chart]:
    bars = []
    for i in (0, 1):
        with_interval = frame.filter(pl.col(f"low_{i}").is_not_null())
        base = alt.Chart(with_interval).mark_rule(color=colour, opacity=opacity, strokeWidth=1.3)
        if i == 0:
            bar = base.encode(x=of(x, "low_0"), x2=alt.X2("high_0:Q"), y=y)
        else:
            bar = base.encode(x=x, y=of(y, "low_1"), y2=alt.Y2("high_1:Q"))
        bars += [bar] if with_interval.height else []
    return bars


def _labels(named: pl.DataFrame, strong: bool) -> alt.Chart:
    text = alt.Chart(named.filter(pl.col("strong") == strong)).mark_text(
        align="left",
        baseline="middle",
        color=INK if strong else MUTED,
        fontWeight="bold" if strong else "normal",
        fontSize=12 if strong else 11,
    )
    placed: alt.Chart = text.encode(
        x=alt.X("left:Q", scale=None, axis=None),
        y=alt.Y("middle:Q", scale=None, axis=None),
        text=alt.Text("name:N"),
    )
    return placed


def _named(frame: pl.DataFrame, spans: tuple[tuple[float, float], ...], plot: int) -> pl.DataFrame:
    """Names that lie on no other and on no point, in pixels; the strong ones come first."""
    at = [
        (plot * _share(row["value_0"], spans[0]), _HEIGHT * (1 - _share(row["value_1"], spans[1])))
        for row in frame.iter_rows(named=True)
    ]
    taken: list[Box] = [(px - 5, py - 5, px + 5, py + 5) for px, py in at]
    rows: list[tuple[str, bool, float, float]] = []
    for (px, py), row in zip(at, frame.iter_rows(named=True), strict=True):
        if len(rows) == _MOST_NAMED:
            break
        if not (row["strong"] or row["open"] or frame.height <= _FEW):
            continue
        for box in _places(px, py, cell_len(short(row["name"])) * _LETTERS[row["strong"]]):
            inside = box[0] >= 0 and box[2] <= plot + _RIGHT / 2 and box[1] >= 0 and box[3] <= _HEIGHT
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                rows.append((short(row["name"]), row["strong"], box[0], (box[1] + box[3]) / 2))
                break
    schema = {"name": pl.String, "strong": pl.Boolean, "left": pl.Float64, "middle": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _places(px: float, py: float, wide: float) -> Iterator[Box]:
    """Where a name may stand beside its point, the best first: off its bars, then on them."""
    for left, middle in (
        (px + 7, py - 11),
        (px + 7, py + 11),
        (px - 7 - wide, py - 11),
        (px - 7 - wide, py + 11),
        (px + 9, py),
        (px - 9 - wide, py),
    ):
        yield left, middle - _LINE / 2, left + wide, middle + _LINE / 2


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _span(frame: pl.DataFrame, i: int) -> tuple[float, float]:
    """Ends of an axis: all values and intervals, and a little more."""
    columns = [frame[name].drop_nulls().to_list() for name in (f"value_{i}", f"low_{i}", f"high_{i}")]
    every = [value for column in columns for value in column]
    low, high = min(every), max(every)
    room = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return low - room, high + room


def _share(value: float, span: tuple[float, float]) -> float:
    return (value - span[0]) / (span[1] - span[0])


def _thinned(frame: pl.DataFrame, most: int) -> pl.DataFrame:
    if frame.height <= most:
        return frame
    return frame[[i * frame.height // most for i in range(most)]]
