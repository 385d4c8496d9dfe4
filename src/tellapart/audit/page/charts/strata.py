"""What each kind of items separates, and with how many items."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import altair as alt
import polars as pl

from tellapart.audit.page.charts.gutter import fitted, gutter, room_for
from tellapart.audit.page.kinds import Kind, kinds
from tellapart.audit.page.record import View
from tellapart.report import numbers as show
from tellapart.report.charts import Chart, Drawing
from tellapart.report.palette import INK, MUTED, PAPER, looks

MOST_ROWS, MOST_COLUMNS = 24, 4

NEARLY = 1.1
"""Kinds whose typical pair needs up to so many times the fewest items are as good as the best."""

_LEAST, _ROW = 10, 24
_FIGURES = 72


def strata_charts(view: View) -> list[Chart]:
    """For each column a row a kind: the share of pairs separated, and the items that pairs need."""
    found = list(kinds(view).items())[:MOST_COLUMNS]
    return [_chart(view, i, column, of_column) for i, (column, of_column) in enumerate(found)]


def _chart(view: View, i: int, column: str, found: list[Kind]) -> Chart:
    rows = f" The first {MOST_ROWS} of {len(found)} kinds are shown." if len(found) > MOST_ROWS else ""
    description = (
        f"By {column}: on a logarithmic axis the items of each kind that would separate a "
        "pair, from the easiest pair to the hardest (line), with the typical pair (dot); an arrow "
        "where no number or more than 100,000 would for the hardest; a diamond at the items there are. On "
        f"the right the share of pairs separated by these items alone.{rows}"
    )
    return Chart(
        f"strata-{i}",
        _conclusion(view, column, found),
        description,
        lambda width: _draw(column, found[:MOST_ROWS], width),
    )


def _conclusion(view: View, column: str, found: Sequence[Kind]) -> str:
    typical = {kind.value: needed for kind in found if (needed := _typical(kind)) is not None}
    if not typical:
        return f"No kind of items by {column} separates any two models"
    least, most = min(typical.values()), max(typical.values())
    if least * NEARLY >= most:
        return f"By {column}, no kind of items separates better than another"
    best = [value for value, needed in typical.items() if needed <= least * NEARLY]
    worst = max(typical, key=lambda value: (typical[value], value))
    seem = "seems" if len(best) == 1 else "seem"
    counts = (
        f"{show.items(round(least))} items for the typical pair, {show.items(round(most))} of {worst}, from "
        f"differences as observed"
    )
    if not any(kind.figures.separated_paired for kind in found):
        return f"No kind of items by {column} separates two models; {best[0]} would need fewest: {counts}"
    return f"{show.listed(best)} {seem} to separate most per item: {counts}"


def _typical(kind: Kind) -> float | None:
    """The median over pairs, of an even number by the mean of logarithms; None where it is no number."""
    needed = [number for _, number in kind.needed]
    if not needed:
        return None
    low, high = needed[(len(needed) - 1) // 2], needed[len(needed) // 2]
    return None if low is None or high is None else sqrt(low * high)


def _draw(column: str, found: Sequence[Kind], width: int) -> Drawing:
    left = room_for([kind.value for kind in found], width)
    plot = width - left - _FIGURES - 22
    frame = pl.DataFrame([_row(i, kind, left) for i, kind in enumerate(found)], schema=_SCHEMA)
    x = alt.X("low:Q").title("Items needed (log)").scale(type="log", domain=[_LEAST, show.MANY], nice=False)
    x = x.axis(values=[10, 100, 1000, 10_000, 100_000], tickCount=5, format="~s", domain=False, ticks=False)
    y = alt.Y("place:N").sort(frame["place"].to_list()).axis(None)
    known = alt.Chart(frame.filter(pl.col("low").is_not_null())).encode(y=y)
    every = alt.Chart(frame).encode(y=y)
    colour = looks("abcdefgh")["f"].colour
    layers = [
        gutter(left),
        known.mark_rule(color=MUTED, strokeWidth=3, opacity=0.55).encode(x=x, x2="high:Q"),
        known.transform_filter("datum.open")
        .mark_point(shape="triangle-right", filled=True, color=MUTED, size=60, opacity=1)
        .encode(x=_at("high", x)),
        known.transform_filter("isValid(datum.typical)")
        .mark_point(filled=True, color=INK, size=62, opacity=1)
        .encode(x=_at("typical", x)),
        every.mark_point(
            shape="diamond", fill=PAPER, stroke=colour, strokeWidth=2, size=70, opacity=1
        ).encode(x=_at("there", x)),
        every.mark_text(align="right", color=INK).encode(x=alt.value(-8), text="name:N"),
        every.mark_text(align="right", color=INK).encode(x=alt.value(plot + _FIGURES), text="apart:N"),
    ]
    return alt.LayerChart(layer=layers, width=plot, height=_ROW * len(found))


_SCHEMA = {
    "place": pl.String,
    "name": pl.String,
    "there": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "typical": pl.Float64,
    "open": pl.Boolean,
    "apart": pl.String,
}


def _row(i: int, kind: Kind, left: int) -> dict[str, object]:
    """One kind, brought onto the axis; open means that the hardest pair needs more than is drawn."""
    needed = [number for _, number in kind.needed]
    low, high, typical = (needed[0], needed[-1], _typical(kind)) if needed else (None, None, None)
    share = kind.figures.separated_paired
    return {
        "place": str(i),
        "name": fitted(kind.value, left),
        "there": _clamped(kind.items),
        "low": None if low is None else _clamped(low),
        "high": show.MANY if high is None else _clamped(high),
        "typical": None if typical is None else _clamped(typical),
        "open": high is None or high > show.MANY,
        "apart": show.DASH if share is None else f"{show.whole_percent(share)} separated",
    }


def _clamped(items: float) -> float:
    return float(min(max(items, _LEAST), show.MANY))


def _at(field: str, x: alt.X) -> alt.X:
    """The same axis, of another column."""
    other: alt.X = x.copy()
    other.shorthand = f"{field}:Q"
    return other
