"""Items by difficulty and discrimination, however many there are."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.audit.page.record import View
from tellapart.audit.page.summaries import flagged_by_kind
from tellapart.audit.page.words import FLAGS, phrase, scale
from tellapart.report import numbers as show
from tellapart.report.charts import Chart, Drawing
from tellapart.report.palette import GRID, INK, MUTED, PAPER, looks

_CELL = 12
"""Pixels of a cell: a page grows with its cells and not with the items."""

_FEWEST, _BARS = 10, 40
"""Places of mean scores, less one: at least so many in the map, at most so many as bars."""

_HEIGHT, _STRIP, _GAP = 300, 22, 16
_LEFT, _RIGHT, _ROW = 62, 20, 18
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_SHAPES = {
    "all_pass": "triangle-up",
    "all_fail": "triangle-down",
    "negative_discrimination": "cross",
    "duplicate": "diamond",
}


def item_chart(view: View, items: pl.DataFrame) -> Chart | None:
    """A map of all items in cells, the flagged ones marked; None where no item has a mean score.

    Args:
        view: The audit.
        items: The table of items; see `record.item_table`.
    """
    placed = items.filter(pl.col("difficulty").is_not_null())
    if not placed.height:
        return None
    flat = placed["discrimination"].count() == 0
    what = (
        "Items by their mean score over the models: the height of a bar is the number of items. There are "
        "too few models for the discrimination of items."
        if flat
        else "Items by their mean score over the models, easy ones on the right, and their discrimination: "
        "the correlation over the models of the item with the rest: the darker a cell, the more items. The "
        "strip below holds items without a discrimination, such as those on which all models score the same."
    )
    marked = " Symbols mark cells with flagged items." if view.items_flagged and not flat else ""
    draw = _bars if flat else _map
    return Chart(
        "items", _conclusion(view, placed), f"{what}{marked}", lambda width: draw(view, placed, width)
    )


def _conclusion(view: View, placed: pl.DataFrame) -> str:
    kinds = flagged_by_kind(view)
    same = kinds.get("all_pass", 0) + kinds.get("all_fail", 0)
    backwards = kinds.get("negative_discrimination", 0)
    parts = []
    if same:
        share = show.whole_percent(same / view.items)
        parts.append(f"{share} of the items separate nothing: all models score the same")
    if backwards:
        parts.append(
            f"{show.plural(backwards, 'item')} {'ranks' if backwards == 1 else 'rank'} the models backwards"
        )
    if parts:
        return "; ".join(parts)
    form = scale(view)
    middle = float(np.median(placed["difficulty"].to_numpy()))
    unit = " %" if form.rates else ""
    return f"No item is the same for all models; the median item scores {form.mean(middle)}{unit}"


def _span(view: View, placed: pl.DataFrame) -> tuple[float, float]:
    """Ends of the axis of mean scores: the limits, or what was seen where there are none."""
    low, high = view.limits
    seen = placed["difficulty"].to_numpy()
    low, high = float(seen.min()) if low is None else low, float(seen.max()) if high is None else high
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _x(view: View, span: tuple[float, float], columns: int) -> alt.X:
    """The axis of mean scores, with room for half a cell beyond either end."""
    form = scale(view)
    low, high = (end * (100.0 if form.rates else 1.0) for end in span)
    half = (high - low) / (columns - 1) / 2
    x = alt.X("x:Q").title(f"Mean score{form.unit} (easier →)")
    x = x.scale(domain=[low - half, high + half], nice=False)
    return x.axis(
        values=[low + i * (high - low) / 5 for i in range(6)], tickCount=6, format=",.4~r", grid=False
    )


def _nearest(values: Floats, low: float, high: float, last: int) -> Integers:
    """Give the nearest of ``last`` + 1 even places: few different means have one each."""
    share = (values - low) / (high - low)
    return np.clip(np.rint(share * last), 0, last).astype(np.int64)


def _places(placed: pl.DataFrame, most: int) -> int:
    """Give so many steps that the means of passes and fails of all models lie on them, up to ``most``."""
    models = int(placed["n_models"].fill_null(1).to_numpy().max())
    steps = models * -(-_FEWEST // models) if models else most
    return min(steps, most)


def _cells(view: View, placed: pl.DataFrame, columns: int, rows: int) -> pl.DataFrame:
    """Count the items of each cell by flag; the row -1 is the strip of those without a discrimination."""
    low, high = _span(view, placed)
    found = placed["discrimination"].to_numpy()
    row = np.where(np.isnan(found), -1, _nearest(np.nan_to_num(found), -1.0, 1.0, rows - 1))
    column = _nearest(placed["difficulty"].to_numpy(), low, high, columns - 1)
    frame = pl.DataFrame({"column": column, "row": row, "flag": placed["flag"]})
    counted = frame.group_by("column", "row", "flag").len("items").sort("column", "row", "flag")
    step, unit = (high - low) / (columns - 1), 100.0 if scale(view).rates else 1.0
    return counted.with_columns(
        x=(low + (pl.col("column") - 0.5) * step) * unit, x2=(low + (pl.col("column") + 0.5) * step) * unit
    )


def _map(view: View, placed: pl.DataFrame, width: int) -> Drawing:
    plot = width - _LEFT - _RIGHT
    rows = _HEIGHT // _CELL
    columns = _places(placed, plot // _CELL - 1) + 1
    cells = _cells(view, placed, columns, rows)
    kinds = [kind for kind in _SHAPES if cells.filter(flag=kind).height]
    top = _ROW * (len(kinds) + 1) + 10
    edge = _HEIGHT / (rows - 1)
    bottom = pl.lit(float(top + _HEIGHT))
    strip = pl.col("row") < 0
    cells = cells.with_columns(
        y=pl.when(strip).then(bottom + _GAP).otherwise(bottom - (pl.col("row") + 0.5) * edge),
        y2=pl.when(strip).then(bottom + _GAP + _STRIP).otherwise(bottom - (pl.col("row") - 0.5) * edge),
    )
    x = _x(view, _span(view, placed), columns)
    y = alt.Y("y:Q", scale=None, axis=None)
    all_items = cells.group_by("x", "x2", "y", "y2").agg(pl.col("items").sum()).sort("x", "y")
    most = max(all_items["items"].to_list(), default=1)
    shade = (
        alt.Opacity("items:Q").scale(type="log", domain=[1, max(most, 2)], range=[0.16, 0.85]).legend(None)
    )
    layers = [
        *_frame(top, plot),
        alt.Chart(all_items).mark_rect(color=INK).encode(x=x, x2="x2:Q", y=y, y2="y2:Q", opacity=shade),
        *(layer for i, kind in enumerate(kinds) for layer in _marks(cells, kind, i, x, y)),
    ]
    layers += _scale_of(most, _ROW * len(kinds) + 6)
    return alt.LayerChart(layer=layers, width=plot, height=top + _HEIGHT + _GAP + _STRIP)


def _frame(top: int, plot: int) -> list[alt.Chart]:
    """The axis of discriminations, in pixels, with a line at 0."""
    rows = [(1.0, "1"), (0.5, "0.5"), (0.0, "0"), (-0.5, f"{show.MINUS}0.5"), (-1.0, f"{show.MINUS}1")]
    frame = pl.DataFrame(
        {"y": [top + _HEIGHT * (1 - value) / 2 for value, _ in rows], "text": [text for _, text in rows]}
    )
    y = alt.Y("y:Q", scale=None, axis=None)
    lines = alt.Chart(frame)
    title = alt.Chart(pl.DataFrame({"text": ["Discrimination"]}))
    none = alt.Chart(pl.DataFrame({"text": ["none"]}))
    return [
        lines.mark_rule(color=GRID).encode(x=alt.value(0), x2=alt.value(plot), y=y),
        lines.transform_filter("datum.text == '0'")
        .mark_rule(color=MUTED, strokeDash=[4, 4])
        .encode(x=alt.value(0), x2=alt.value(plot), y=y),
        lines.mark_text(align="right", color=MUTED).encode(x=alt.value(-6), y=y, text="text:N"),
        none.mark_text(align="right", color=MUTED).encode(
            x=alt.value(-6), y=alt.value(top + _HEIGHT + _GAP + _STRIP / 2), text="text:N"
        ),
        title.mark_text(angle=270, color=MUTED).encode(
            x=alt.value(12 - _LEFT), y=alt.value(top + _HEIGHT / 2), text="text:N"
        ),
    ]


def _marks(cells: pl.DataFrame, kind: str, i: int, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """A symbol in each cell with an item of the kind, and its line in the key."""
    colour = looks("abcdefgh")["g" if kind == "negative_discrimination" else "f"].colour
    found = cells.filter(flag=kind).with_columns(
        x=(pl.col("x") + pl.col("x2")) / 2, y=(pl.col("y") + pl.col("y2")) / 2
    )
    mark: dict[str, Any] = {"shape": _SHAPES[kind], "fill": colour, "stroke": PAPER, "strokeWidth": 0.8}
    mark["opacity"] = 1
    number = show.count(int(found["items"].sum()))
    key = alt.Chart(pl.DataFrame({"text": [f"{phrase(FLAGS, kind)}: {number}"]}))
    height = alt.value(_ROW * i + 6)
    return [
        alt.Chart(found).mark_point(size=58, **mark).encode(x=x, y=y),
        key.mark_point(size=70, **mark).encode(x=alt.value(7), y=height),
        key.mark_text(align="left", color=INK).encode(x=alt.value(20), y=height, text="text:N"),
    ]


def _scale_of(most: int, height: int) -> list[alt.Chart]:
    base = alt.Chart(pl.DataFrame({"text": [f"the darkest cell: {show.plural(most, 'item')}"]}))
    y = alt.value(height)
    return [
        base.mark_point(shape="square", filled=True, size=110, color=INK, opacity=0.85).encode(
            x=alt.value(7), y=y
        ),
        base.mark_text(align="left", color=INK).encode(x=alt.value(20), y=y, text="text:N"),
    ]


def _bars(view: View, placed: pl.DataFrame, width: int) -> Drawing:
    plot = width - _LEFT - _RIGHT
    columns = _places(placed, _BARS) + 1
    cells = _cells(view, placed, columns, 1)
    counted = cells.group_by("x", "x2").agg(pl.col("items").sum()).sort("x")
    y = alt.Y("items:Q").title("Items").axis(tickCount=5, format="~s", domain=False, ticks=False)
    bars = alt.Chart(counted).mark_bar(color=looks("abcdefgh")["f"].colour, binSpacing=1)
    layer = bars.encode(x=_x(view, _span(view, placed), columns), x2="x2:Q", y=y, y2=alt.datum(0))
    return alt.LayerChart(layer=[layer], width=plot, height=220)
