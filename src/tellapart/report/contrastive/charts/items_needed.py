"""Items needed to tell two models apart."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from tellapart.report import numbers as show
from tellapart.report.charts import GUTTER, Chart, Drawing, columns_for
from tellapart.report.contrastive.record import View
from tellapart.report.contrastive.verdict import Comparison, Status, by_pair, comparisons
from tellapart.report.palette import INK, MUTED, PAPER

_LEAST = 10
_ROW = 22
_LEVELS, _FIGURES = 84, 72
"""Pixels of a panel for the names of the levels on its left and the figures on its right."""

_LETTER = 8.6
"""Pixels of a letter in the names of a pair, with some to spare."""

_SCHEMA = {
    "level": pl.String,
    "needed": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "open": pl.Boolean,
    "apart": pl.Boolean,
    "text": pl.String,
}


def items_needed_chart(view: View) -> Chart:
    """Items needed by each pair at each level, with ranges, beside the number that was asked."""
    found = comparisons(view)
    description = (
        f"For each pair of {show.listed(view.models)} and each level, the items needed to tell the two "
        "apart, on a logarithmic axis, with the range over the 95 % interval of their difference; filled "
        "where this run told them apart, an arrow where the range goes on beyond the axis."
    )
    asked = max(view.asked.values(), default=0)
    return Chart(
        "items-needed",
        _conclusion(found),
        description,
        lambda width: draw_needed(found, asked, width, "Level"),
    )


def draw_needed(found: Sequence[Comparison], asked: int, width: int, heading: str) -> Drawing:
    """Draw a panel a pair and a row a level; an arrow marks what goes on beyond the axis."""
    groups = by_pair(found)
    longest = max((len(name) for one in found for name in (f"{one.a} –", one.b)), default=0)
    columns, panel = columns_for(width - _LEVELS, len(groups), max(190, round(_LETTER * longest)))
    charts = [
        _panel(group, asked, panel - _FIGURES, heading if i % columns == 0 else None)
        for i, group in enumerate(groups)
    ]
    return alt.concat(*charts, columns=columns, spacing={"column": GUTTER, "row": 22})


def _conclusion(found: Sequence[Comparison]) -> str:
    best = [
        min((one.needed, one.level) for one in group if one.needed is not None)
        for group in by_pair(found)
        if _known(group)
    ]
    named = sorted(
        (needed, f"{group[0].pair} {show.items(needed)} ({level})")
        for group, (needed, level) in zip(filter(_known, by_pair(found)), best, strict=True)
    )
    never = [group[0].pair for group in by_pair(found) if not _known(group)]
    if not named:
        return "No number of items would tell any two of these models apart"
    most = 3
    rest = f"; {show.plural(len(named) - most, 'more pair')}" if len(named) > most else ""
    hopeless = f"; no number for {show.listed(never)}" if never else ""
    best_known = show.listed([text for _, text in named[:most]])
    return (
        f"Items that would tell two models apart, each pair at its best level: {best_known}{rest}{hopeless}"
    )


def _known(group: Sequence[Comparison]) -> bool:
    return any(one.needed is not None for one in group)


def _panel(group: Sequence[Comparison], asked: int, width: int, heading: str | None) -> alt.LayerChart:
    """Draw one pair; without a heading the names of the levels are those of the panel to the left."""
    levels = [one.level for one in group]
    scale = alt.Scale(type="log", domain=[_LEAST, show.MANY], nice=False)
    ticks = alt.Axis(
        values=[10, 100, 1000, 10_000, 100_000], tickCount=5, format="~s", domain=False, ticks=False
    )
    rows = alt.Axis(domain=False, ticks=False, labels=heading is not None, labelLimit=_LEVELS, labelPadding=8)
    x = alt.X("needed:Q").title("Items needed (log)").scale(scale).axis(ticks)
    y = alt.Y("level:N").title(heading).sort(levels).axis(rows)
    line = alt.Chart(
        pl.DataFrame({"needed": [_clamped(asked)], "text": [f"{show.count(asked)} asked"]})
    ).encode(x=x)
    room = width + _FIGURES
    names = [group[0].pair] if len(group[0].pair) * _LETTER < room else [f"{group[0].a} –", group[0].b]
    title = alt.TitleParams(names, limit=room, offset=6)
    layers = [
        line.mark_rule(color=MUTED, strokeDash=[3, 3]),
        line.mark_text(color=MUTED, fontSize=11, baseline="bottom", dy=-3).encode(
            y=alt.value(0), text="text:N"
        ),
        *_marks(pl.DataFrame([_row(one) for one in group], schema=_SCHEMA), x, y, width),
    ]
    return alt.LayerChart(layer=layers, width=width, height=_ROW * len(levels), title=title)


def _marks(frame: pl.DataFrame, x: alt.X, y: alt.Y, width: int) -> list[alt.Chart]:
    dots = alt.Chart(frame.filter(pl.col("needed").is_not_null())).encode(x=x, y=y)
    fill = alt.condition("datum.apart", alt.value(INK), alt.value(PAPER))
    strength = alt.condition("datum.apart", alt.value(1), alt.value(0.75))
    figures = (
        alt.Chart(frame)
        .mark_text(align="left")
        .encode(x=alt.value(width + 10), y=y, text="text:N", opacity=strength)
    )
    return [
        dots.mark_rule(color=MUTED, strokeWidth=2).encode(x="low:Q", x2="high:Q"),
        dots.transform_filter("datum.open")
        .mark_point(shape="triangle-right", filled=True, color=MUTED, size=45, opacity=1)
        .encode(x="high:Q"),
        dots.mark_point(size=52, stroke=INK, strokeWidth=1.6, opacity=1).encode(fill=fill),
        figures,
    ]


def _row(one: Comparison) -> dict[str, object]:
    """One level of a pair, brought onto the axis; open means that it goes on beyond."""
    needed = one.needed
    if needed is None:
        text = "no number" if one.difference is not None else "not tested"
        return {
            "level": one.level,
            "needed": None,
            "low": None,
            "high": None,
            "open": False,
            "apart": False,
            "text": text,
        }
    low, high = one.figures.get("items_needed_range") or (needed, needed)
    end = show.MANY if high is None or high > show.MANY else high
    return {
        "level": one.level,
        "needed": _clamped(needed),
        "low": _clamped(needed if low is None else low),
        "high": _clamped(end),
        "open": high is None or high > show.MANY,
        "apart": one.status is Status.APART,
        "text": show.items(needed),
    }


def _clamped(items: int) -> int:
    return min(max(items, _LEAST), show.MANY)
