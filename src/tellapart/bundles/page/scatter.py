"""A drawing of points by two metrics, of which some are on a frontier and named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import altair as alt
import polars as pl

from tellapart.report.charts import Drawing
from tellapart.report.palette import INK, MUTED, PAPER, looks

_HEIGHT = 400
_LEFT, _BELOW, _RIGHT = 62, 46, 12
"""Pixels for the axes and beside the plot."""

_LETTERS, _LINE = {True: 7.6, False: 6.6}, 14.0
"""Pixels of a letter of a strong name and of another, and of a line."""

_MOST_DRAWN, _MOST_NAMED = 1500, 40
_FEW = 30
"""Of so many points, those off the frontier are named too."""

_FADED = 0.55

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Scatter:
    """Points to be drawn.

    Attributes:
        points: ``name``, and ``value_i``, ``low_i`` and ``high_i`` for the axes 0 and 1.
        strong: Names of the points on the frontier.
        open: Names of points that are drawn as a ring.
        axes: What the axes are called.
        upwards: By axis, whether more is better.
        joined: Whether a line joins the frontier.
    """

    points: pl.DataFrame
    strong: frozenset[str]
    open: frozenset[str]
    axes: tuple[str, str]
    upwards: tuple[bool, bool]
    joined: bool = True

    @property
    def cut(self) -> bool:
        """Whether there are more points than are drawn."""
        return self.points.height > _MOST_DRAWN

    @property
    def drawn(self) -> int:
        """How many points are drawn."""
        return min(self.points.height, _MOST_DRAWN)

    def frame(self) -> pl.DataFrame:
        """What is drawn: the frontier first, then every so many-th of the rest; with ``strong``, ``open``."""
        marks = {
            mark: pl.col("name").is_in(pl.Series(sorted(names), dtype=pl.String).implode())
            for mark, names in (("strong", self.strong), ("open", self.open))
        }
        ordered = self.points.with_columns(**marks).sort(
            "value_0", "value_1", "name", descending=[self.upwards[0], self.upwards[1], False]
        )
        strong = ordered.filter("strong")
        rest = ordered.filter(~pl.col("strong"))
        kept = _thinned(strong, _MOST_DRAWN)
        return pl.concat([kept, _thinned(rest, _MOST_DRAWN - kept.height)])


def draw_scatter(scatter: Scatter, width: int) -> Drawing:
    """Draw points, their intervals, the line along the frontier, and the names that fit.

    Args:
        scatter: What to draw; one point or more.
        width: In pixels, axes included.
    """
    frame = scatter.frame()
    plot, high = width - _LEFT - _RIGHT, _HEIGHT - _BELOW
    spans = [_span(frame, i) for i in (0, 1)]
    x = alt.X("value_0:Q").title(scatter.axes[0]).scale(domain=spans[0], nice=False, zero=False)
    x = x.axis(tickCount=6 if width > 500 else 4, grid=True)
    y = alt.Y("value_1:Q").title(scatter.axes[1]).scale(domain=spans[1], nice=False, zero=False)
    y = y.axis(tickCount=6, domain=False, ticks=False)
    named = _named(frame, spans, plot, high)
    on, off = frame.filter("strong"), frame.filter(~pl.col("strong"))
    colour = next(iter(looks(["frontier"]).values())).colour
    layers = [
        *_crosses(off, x, y, MUTED, 0.3),
        *_faded(off, x, y),
        *([_steps(on, scatter, x, y, colour)] if scatter.joined else []),
        *_crosses(on, x, y, colour, 0.6),
        alt.Chart(on)
        .mark_point(filled=True, size=76, color=colour, opacity=1, stroke=PAPER, strokeWidth=0.7)
        .encode(x=x, y=y),
        *(_labels(named, strong) for strong in (False, True)),
    ]
    return alt.LayerChart(layer=layers, width=plot, height=high)


def _faded(off: pl.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    marks = []
    for ring in (False, True):
        base = alt.Chart(off.filter(pl.col("open") == ring))
        fill = PAPER if ring else MUTED
        mark = base.mark_point(
            size=46, fill=fill, stroke=MUTED, strokeWidth=1.4, opacity=1 if ring else _FADED
        )
        marks.append(mark.encode(x=x, y=y))
    return marks


def _steps(on: pl.DataFrame, scatter: Scatter, x: alt.X, y: alt.Y, colour: str) -> alt.Chart:
    """Stairs: between two points of a frontier the worse of both figures is what can be had."""
    step: Literal["step-before", "step-after"] = "step-before" if scatter.upwards[0] else "step-after"
    line: alt.Chart = (
        alt.Chart(on.unique(["value_0", "value_1"], maintain_order=True))
        .mark_line(color=colour, strokeWidth=5, opacity=0.22, interpolate=step)
        .encode(x=x, y=y, order="value_0:Q")
    )
    return line


def _crosses(frame: pl.DataFrame, x: alt.X, y: alt.Y, colour: str, opacity: float) -> list[alt.Chart]:
    bars = []
    for i, name in ((0, "x2"), (1, "y2")):
        known = frame.filter(pl.col(f"low_{i}").is_not_null())
        base = alt.Chart(known).mark_rule(color=colour, opacity=opacity, strokeWidth=1.3)
        from_, to = (x, y)[i].copy(), f"high_{i}:Q"
        from_.shorthand = f"low_{i}:Q"
        both = {"x": from_, "y": y} if i == 0 else {"x": x, "y": from_}
        bars.append(base.encode(**both, **{name: to}))
    return [bar for i, bar in enumerate(bars) if frame[f"low_{i}"].count()]


def _labels(named: pl.DataFrame, strong: bool) -> alt.Chart:
    text = alt.Chart(named.filter(pl.col("strong") == strong)).mark_text(
        align="left",
        baseline="middle",
        color=INK if strong else MUTED,
        fontWeight="bold" if strong else "normal",
        fontSize=12 if strong else 11,
    )
    placed: alt.Chart = text.encode(
        x=alt.X("left:Q", scale=None, axis=None), y=alt.Y("middle:Q", scale=None, axis=None), text="name:N"
    )
    return placed


def _named(frame: pl.DataFrame, spans: Sequence[tuple[float, float]], plot: int, high: int) -> pl.DataFrame:
    """Names that lie on no other and on no point, in pixels; the frontier's come first."""
    at = [
        (plot * _share(row["value_0"], spans[0]), high * (1 - _share(row["value_1"], spans[1])))
        for row in frame.iter_rows(named=True)
    ]
    taken: list[Box] = [(px - 5, py - 5, px + 5, py + 5) for px, py in at]
    rows: list[tuple[str, bool, float, float]] = []
    for (px, py), row in zip(at, frame.iter_rows(named=True), strict=True):
        if len(rows) == _MOST_NAMED:
            break
        if not (row["strong"] or row["open"] or frame.height <= _FEW):
            continue
        wide = len(row["name"]) * _LETTERS[row["strong"]]
        for box in _places(px, py, wide):
            inside = box[0] >= 0 and box[2] <= plot + _RIGHT / 2 and box[1] >= 0 and box[3] <= high
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                rows.append((row["name"], row["strong"], box[0], (box[1] + box[3]) / 2))
                break
    schema = {"name": pl.String, "strong": pl.Boolean, "left": pl.Float64, "middle": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _places(px: float, py: float, wide: float) -> list[Box]:
    """Where a name may stand beside its point, the best first: off its bars, then on them."""
    half = _LINE / 2
    corners = [
        (px + 7, py - 11),
        (px + 7, py + 11),
        (px - 7 - wide, py - 11),
        (px - 7 - wide, py + 11),
        (px + 9, py),
        (px - 9 - wide, py),
    ]
    return [(left, middle - half, left + wide, middle + half) for left, middle in corners]


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
