"""A drawing of seeds by condition, with two intervals around each mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from tellapart.bundles.seeds import SeedStats
from tellapart.report.charts import Drawing
from tellapart.report.palette import INK, MUTED, PAPER, looks

_ROW = 34
_LETTER, _MOST = 7.0, 150

_SCHEMA = {
    "condition": pl.String,
    **dict.fromkeys(
        ("mean", "normal_low", "normal_high", "t_low", "t_high", "items_low", "items_high"), pl.Float64
    ),
}


def draw_seeds(metric: str, stats: Mapping[str, SeedStats], width: int) -> Drawing:
    """Draw a row a condition.

    Args:
        metric: What the axis is called.
        stats: By condition.
        width: In pixels, axes included.
    """
    most = _MOST if width > 500 else 90
    # A browser may have a wider font than the one that measures the names here.
    room = int(min(most, max(len(name) for name in stats) * _LETTER) * 1.2) + 8
    means = pl.DataFrame([_row(name, one) for name, one in stats.items()], schema=_SCHEMA, orient="row")
    seeds = pl.DataFrame(
        [(name, value) for name, one in stats.items() for value in one.values.values()],
        schema={"condition": pl.String, "value": pl.Float64},
        orient="row",
    )
    rows = alt.Axis(domain=False, ticks=False, labelLimit=most, labelPadding=8, minExtent=room)
    y = alt.Y("condition:N").title(None).sort(list(stats)).axis(rows)
    scale = alt.Scale(zero=False, nice=True)
    x = (
        alt.X("mean:Q")
        .title(metric)
        .scale(scale)
        .axis(tickCount=6 if width > 500 else 3, titleLimit=0.7 * (width - room))
    )
    colour = next(iter(looks(["seeds"]).values())).colour
    base = alt.Chart(means)
    known = base.transform_filter("isValid(datum.t_low)")
    wide = base.transform_filter("isValid(datum.items_low)")
    layers = [
        *([_line(wide, "items", 1.4, x, y, MUTED, dash=(2, 3))] if means["items_low"].count() else []),
        _line(known, "t", 1.4, x, y, MUTED),
        _line(known, "normal", 6, x, y, colour, 0.35),
        alt.Chart(seeds)
        .mark_point(size=50, fill=PAPER, stroke=colour, strokeWidth=1.5, opacity=1)
        .encode(x=_of(x, "value"), y=y),
        base.mark_tick(color=INK, thickness=2.5, height=18).encode(x=x, y=y),
    ]
    return alt.LayerChart(layer=layers, width=width - room - 32, height=_ROW * len(stats) + 6)


def _line(
    known: alt.Chart,
    name: str,
    thick: float,
    x: alt.X,
    y: alt.Y,
    colour: str,
    opacity: float = 1,
    dash: Sequence[float] = (1, 0),
) -> alt.Chart:
    rule = known.mark_rule(strokeWidth=thick, color=colour, opacity=opacity, strokeDash=list(dash))
    line: alt.Chart = rule.encode(x=_of(x, f"{name}_low"), x2=f"{name}_high:Q", y=y)
    return line


def _of(x: alt.X, column: str) -> alt.X:
    """The axis of the means for another column."""
    other = x.copy()
    other.shorthand = f"{column}:Q"
    return other


def _row(condition: str, one: SeedStats) -> tuple[Any, ...]:
    intervals = (ends or (None, None) for ends in (one.ci95_normal, one.ci95_t, one.ci95_items))
    return (condition, one.mean, *(end for interval in intervals for end in interval))
