"""Items needed to separate two models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl

from tellapart.contrastive.page.tables import declared_level
from tellapart.core.comparison import Comparison, PairComparison
from tellapart.report import numbers as show
from tellapart.report.charts import GUTTER, Chart, Drawing, columns_for
from tellapart.report.comparison import scope, words
from tellapart.report.palette import INK, MUTED, PAPER

_LEAST = 10
_ROW = 22
_FIGURES = 72
"""Pixels of a panel for the figures on its right."""

_LETTER, _SMALL_LETTER = 8.6, 6.5
"""Pixels of a letter in the names of a pair, with some to spare, and in those of rows."""

_LABELS = (84, 140)
"""Least and most pixels for the names of rows on the left of a panel."""

_SCHEMA = {
    "row": pl.String,
    "needed": pl.Float64,
    "there": pl.Float64,
    "separated": pl.Boolean,
    "text": pl.String,
}

Rows = Mapping[str, Sequence[PairComparison]]
"""By the name of a row, such as a level, every pair of models on its items."""


def items_needed_chart(comparison: Comparison, levels: Sequence[str]) -> Chart:
    """Items needed by each pair, on the items that the verdict is about and at each level.

    Args:
        comparison: Of the models.
        levels: In ascending order of difficulty.
    """
    primary = comparison.primary
    rows: dict[str, Sequence[PairComparison]] = {}
    if primary.name == "all items":
        rows["all"] = primary.pairs
    if comparison.secondary:
        rows |= {
            words(level): [pair for pair in comparison.secondary.pairs if pair.stratum == level]
            for level in levels
        }
    declared = words(declared_level(comparison))
    if declared in rows:
        rows[declared] = primary.pairs
    description = (
        "For each pair of models, the items needed to separate the two with 80 % power: on all items and by "
        "level, on a logarithmic axis; filled where they are separated. A grey mark is the number of items "
        "that there are."
    )
    title = conclusion(primary.pairs, scope(primary))
    return Chart("items-needed", title, description, lambda width: draw_needed(rows, width, "Level"))


def conclusion(pairs: Sequence[PairComparison], of: str) -> str:
    """Say how many items each pair needs, the fewest first, and how many there are, ``of`` which kind."""
    needed = sorted(
        (pair.items_needed, f"{pair.ahead} and {pair.behind} {show.items(pair.items_needed)}")
        for pair in pairs
        if pair.items_needed is not None
    )
    if not needed:
        return "No number of items would separate any two of these models"
    most = 3
    rest = f"; {show.plural(len(needed) - most, 'more pair')}" if len(needed) > most else ""
    there = max(pair.n for pair in pairs)
    named = show.listed([text for _, text in needed[:most]])
    which = "" if of == "all items" else f" {of.removesuffix(' items')}"
    return f"Items needed to separate two models: {named}{rest}; there are {show.count(there)}{which}"


def draw_needed(rows: Rows, width: int, heading: str) -> Drawing:
    """Draw a panel a pair and a row for each entry of ``rows``; rows without the pair are left out."""
    pairs = list(dict.fromkeys((pair.a, pair.b) for of in rows.values() for pair in of))
    longest = max((len(name) for a, b in pairs for name in (f"{a} –", b)), default=0)
    labels = round(min(max(_LABELS[0], 20 + _SMALL_LETTER * max(map(len, rows), default=0)), _LABELS[1]))
    columns, panel = columns_for(width - labels, len(pairs), max(190, round(_LETTER * longest)))
    charts = [
        _panel(two, rows, panel - _FIGURES, labels, heading if i % columns == 0 else None)
        for i, two in enumerate(pairs)
    ]
    return alt.concat(*charts, columns=columns, spacing={"column": GUTTER, "row": 26})


def _panel(
    two: tuple[str, str], rows: Rows, width: int, label_width: int, heading: str | None
) -> alt.LayerChart:
    """Draw one pair; without a heading the names of the rows are those of the panel to the left."""
    found = [_row(name, pair) for name, of in rows.items() for pair in of if (pair.a, pair.b) == two]
    scale = alt.Scale(type="log", domain=[_LEAST, show.MANY], nice=False)
    ticks = alt.Axis(
        values=[10, 100, 1000, 10_000, 100_000], tickCount=5, format="~s", domain=False, ticks=False
    )
    axis = alt.Axis(
        domain=False, ticks=False, labels=heading is not None, labelLimit=label_width, labelPadding=8
    )
    x = alt.X("needed:Q").title("Items needed (log)").scale(scale).axis(ticks)
    y = alt.Y("row:N").title(heading).sort(list(rows)).axis(axis)
    room = width + _FIGURES
    both = f"{two[0]} – {two[1]}"
    names = [both] if len(both) * _LETTER < room else [f"{two[0]} –", two[1]]
    title = alt.TitleParams(names, limit=room, offset=6)
    layers = _marks(pl.DataFrame(found, schema=_SCHEMA), x, y, width)
    return alt.LayerChart(layer=layers, width=width, height=_ROW * len(rows), title=title)


def _marks(frame: pl.DataFrame, x: alt.X, y: alt.Y, width: int) -> list[alt.Chart]:
    dots = alt.Chart(frame.filter(pl.col("needed").is_not_null())).encode(x=x, y=y)
    fill = alt.condition("datum.separated", alt.value(INK), alt.value(PAPER))
    strength = alt.condition("datum.separated", alt.value(1), alt.value(0.75))
    figures = (
        alt.Chart(frame)
        .mark_text(align="left")
        .encode(x=alt.value(width + 10), y=y, text="text:N", opacity=strength)
    )
    there = alt.Chart(frame).encode(x=alt.X("there:Q"), y=y)
    return [
        there.mark_tick(color=MUTED, thickness=2, height=14),
        dots.mark_point(size=52, stroke=INK, strokeWidth=1.6, opacity=1).encode(fill=fill),
        figures,
    ]


def _row(name: str, pair: PairComparison) -> dict[str, object]:
    needed = pair.items_needed
    unknown = "not tested" if pair.p is None else "no number"
    return {
        "row": name,
        "needed": None if needed is None else _clamped(needed),
        "there": _clamped(pair.n),
        "separated": pair.is_separated,
        "text": unknown if needed is None else show.items(needed),
    }


def _clamped(items: int) -> int:
    return min(max(items, _LEAST), show.MANY)
