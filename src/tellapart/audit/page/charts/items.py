"""Items by difficulty and discrimination, however many there are."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.audit.page.sentences import flag_words, flagged_by_kind, phrase, scale
from tellapart.audit.results import Findings
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Bin, Chart, Drawing, Rule, histogram
from tellapart.report.charts.axes import ground
from tellapart.report.charts.vega import alt
from tellapart.report.palette import INK, PAPER, looks

_CELL = 12
"""Pixels of a cell: a page grows with its cells and not with the items."""

_FEWEST, _BARS = 10, 40
"""Places of mean scores, less one: at least so many in the map, at most so many as bars."""

_HEIGHT, _ROWS = 350, 25
_AXES = 82
_NONE = -1.25
"""Where those stand that have no discrimination."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_SHAPES = {
    "all_pass": "triangle-up",
    "all_fail": "triangle-down",
    "negative_discrimination": "cross",
}


def item_chart(findings: Findings) -> Chart | None:
    """A map of all items in cells, the flagged ones marked; None where no item has a mean score."""
    placed = findings.item_table.filter(pl.col("difficulty").is_not_null())
    if not placed.height:
        return None
    flat = placed["discrimination"].count() == 0
    what = (
        "Horizontal: mean score over the models (easy items on the right). Height of a bar: number of items. "
        "There are too few models for the discrimination of items."
        if flat
        else "Horizontal: mean score over the models (easy items on the right). Vertical: discrimination, "
        "the correlation over the models of the item with the other items. Darker cells hold more items. The "
        "strip below holds items without a discrimination, such as those on which all models score the same."
    )
    marked = " Symbols mark cells with flagged items." if findings.items_flagged and not flat else ""
    draw = _bars if flat else _map
    return Chart(
        "items", _conclusion(findings, placed), f"{what}{marked}", lambda width: draw(findings, placed, width)
    )


def _conclusion(findings: Findings, placed: pl.DataFrame) -> str:
    kinds = flagged_by_kind(findings)
    same = kinds.get("all_pass", 0) + kinds.get("all_fail", 0)
    backwards = kinds.get("negative_discrimination", 0)
    parts = []
    if same:
        share = show.whole_percent(same / findings.items)
        parts.append(f"{share} of the items separate no models: all score the same")
    if backwards:
        parts.append(
            f"{show.plural(backwards, 'item')} {'ranks' if backwards == 1 else 'rank'} the models backwards"
        )
    if parts:
        return "; ".join(parts)
    form = scale(findings)
    middle = float(np.median(placed["difficulty"].to_numpy()))
    unit = " %" if form.rates else ""
    return f"No item is the same for all models; the median item scores {form.mean(middle)}{unit}"


def _span(findings: Findings, placed: pl.DataFrame) -> tuple[float, float]:
    """Ends of the axis of mean scores: the limits, or what was seen where there are none."""
    low, high = findings.limits
    seen = placed["difficulty"].to_numpy()
    low, high = float(seen.min()) if low is None else low, float(seen.max()) if high is None else high
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _axis(findings: Findings, span: tuple[float, float], columns: int) -> Axis:
    """The axis of mean scores, with room for half a cell beyond either end."""
    form = scale(findings)
    low, high = (end * (100.0 if form.rates else 1.0) for end in span)
    half = (high - low) / (columns - 1) / 2
    ticks = [low + i * (high - low) / 5 for i in range(6)]
    return Axis(f"Mean score{form.unit} (easier →)", (low - half, high + half), ticks, ",.4~r")


def _nearest(values: Floats, low: float, high: float, last: int) -> Integers:
    """Give the nearest of ``last`` + 1 even places: few different means have one each."""
    share = (values - low) / (high - low)
    return np.clip(np.rint(share * last), 0, last).astype(np.int64)


def _places(placed: pl.DataFrame, most: int) -> int:
    """Give so many steps that the means of passes and fails of all models lie on them, up to ``most``."""
    models = int(placed["n_models"].fill_null(1).to_numpy().max())
    steps = models * -(-_FEWEST // models) if models else most
    return min(steps, most)


def _cells(findings: Findings, placed: pl.DataFrame, columns: int, rows: int) -> pl.DataFrame:
    """Count the items of each cell by flag; the row -1 is the strip of those without a discrimination."""
    low, high = _span(findings, placed)
    discrimination = placed["discrimination"].to_numpy()
    row = np.where(np.isnan(discrimination), -1, _nearest(np.nan_to_num(discrimination), -1.0, 1.0, rows - 1))
    column = _nearest(placed["difficulty"].to_numpy(), low, high, columns - 1)
    frame = pl.DataFrame({"column": column, "row": row, "flag": placed["flag"]})
    counted = frame.group_by("column", "row", "flag").len("items").sort("column", "row", "flag")
    step, unit = (high - low) / (columns - 1), 100.0 if scale(findings).rates else 1.0
    return counted.with_columns(
        x=(low + (pl.col("column") - 0.5) * step) * unit, x2=(low + (pl.col("column") + 0.5) * step) * unit
    )


def _map(findings: Findings, placed: pl.DataFrame, width: int) -> Drawing:
    plot = width - _AXES
    columns = _places(placed, plot // _CELL - 1) + 1
    half = 1 / (_ROWS - 1)
    none = pl.col("row") < 0
    middle = pl.when(none).then(_NONE).otherwise(pl.col("row") * 2 * half - 1)
    cells = _cells(findings, placed, columns, _ROWS).with_columns(y=middle - half, y2=middle + half)
    y = Axis(
        "Discrimination",
        (_NONE - 0.08, 1 + half),
        [1, 0.5, 0, -0.5, -1, _NONE],
        label="datum.value < -1 ? 'none' : format(datum.value, '~r')",
    ).y("y")
    x = _axis(findings, _span(findings, placed), columns).x("x", plot)
    all_items = cells.group_by("x", "x2", "y", "y2").agg(pl.col("items").sum()).sort("x", "y")
    most = max(all_items["items"].to_list(), default=1)
    shades = alt.Scale(type="log", domain=[1, max(most, 2)], range=[0.16, 0.85])
    shade = alt.Opacity("items:Q", scale=shades, legend=None)
    rects = alt.Chart(all_items).mark_rect(color=INK)
    layers = [
        *ground((), [Rule(0.0)], x, y, plot, (0, _HEIGHT)),
        rects.encode(x=x, x2=alt.X2("x2:Q"), y=y, y2=alt.Y2("y2:Q"), opacity=shade),
        _marks(cells, flag_words(findings), f"the darkest cell: {show.plural(most, 'item')}", x, y),
    ]
    return alt.LayerChart(layer=layers, width=plot, height=_HEIGHT)


def _marks(cells: pl.DataFrame, words: dict[str, str], darkest: str, x: alt.X, y: alt.Y) -> alt.Chart:
    """A symbol in each cell with an item of a kind, with a key above that also names the darkest cell."""
    kinds = [kind for kind in _SHAPES if cells.filter(flag=kind).height]
    names = {
        kind: f"{phrase(words, kind)}: {show.count(int(cells.filter(flag=kind)['items'].sum()))}"
        for kind in kinds
    }
    style = looks("abcdefgh")
    backwards, others = style["g"].colour, style["f"].colour
    colours = [backwards if kind == "negative_discrimination" else others for kind in kinds]
    legend = alt.Legend(orient="top", direction="vertical", columns=1, title=None, labelLimit=300)
    flagged = cells.filter(pl.col("flag").is_in(kinds)).with_columns(
        x=(pl.col("x") + pl.col("x2")) / 2,
        y=(pl.col("y") + pl.col("y2")) / 2,
        name=pl.col("flag").replace_strict(names, return_dtype=pl.String),
    )
    domain = [*names.values(), darkest]
    shapes = alt.Scale(domain=domain, range=[*(_SHAPES[kind] for kind in kinds), "square"])
    fills = alt.Scale(domain=domain, range=[*colours, INK])
    shape = alt.Shape("name:N", scale=shapes, legend=legend)
    fill = alt.Fill("name:N", scale=fills, legend=legend)
    mark = alt.Chart(flagged).mark_point(size=58, stroke=PAPER, strokeWidth=0.8, opacity=1)
    drawn: alt.Chart = mark.encode(x=x, y=y, shape=shape, fill=fill)
    return drawn


def _bars(findings: Findings, placed: pl.DataFrame, width: int) -> Drawing:
    columns = _places(placed, _BARS) + 1
    cells = _cells(findings, placed, columns, 1).group_by("x", "x2").agg(pl.col("items").sum()).sort("x")
    colour = looks("abcdefgh")["f"].colour
    bins = [Bin(low, high, items, colour) for low, high, items in cells.iter_rows()]
    axis = _axis(findings, _span(findings, placed), columns)
    return histogram(bins, width, axis, Axis("Items", format="~s"))
