"""The verdict on every two models, or on neighbours in the ranking where there are many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import polars as pl

from tellapart.audit.page.charts.gutter import LETTER, fitted, room_for
from tellapart.audit.page.parts import Pair
from tellapart.audit.page.record import View
from tellapart.audit.page.words import scale
from tellapart.report.charts import WIDE, Chart, Drawing
from tellapart.report.comparison import Scale
from tellapart.report.palette import GRID, INK, MUTED, PAPER, looks

SMALLEST = 22
"""Pixels of the smallest cell that its sign can be read in."""

MOST_ROWS, MOST_NEIGHBOURS = 60, 12

_LARGEST, _ROOMY, _HIGH, _HEAD = 96, 58, 34, 24
_STYLES = [look.colour for look in looks("abcdefgh").values()]
_BETTER, _WITHHELD = _STYLES[5], _STYLES[6]
_SIGNS = {"better": ">", "worse": "<", "equivalent": "=", "not_separated": "?", "withheld": "!"}
_LOOKS = {
    "better": (_BETTER, PAPER),
    "worse": (_BETTER, PAPER),
    "equivalent": (GRID, INK),
    "not_separated": (PAPER, INK),
    "withheld": (_WITHHELD, PAPER),
}
"""Ground and ink of a cell: the signs tell them apart without colour."""


@dataclass(frozen=True)
class _Grid:
    """Where cells stand, in pixels.

    Attributes:
        names: Of the rows, the best model first.
        heads: Of the columns.
        left: Of the first column.
        cell: Width.
        high: Height.
        columns: How many.
        neighbours: Whether the columns are places further down, and not models.
    """

    names: list[str]
    heads: list[str]
    left: int
    cell: int
    high: int
    columns: int
    neighbours: bool


def matrix_chart(view: View) -> Chart:
    """Each model against those below it in the ranking: better, equivalent, not separated or withheld."""
    many = len(view.models) > _fitting(WIDE, view)
    whom = (
        f"the next {_grid(view, WIDE).columns} below it in the ranking"
        if many
        else "each that is ranked below it"
    )
    rows = f" The first {MOST_ROWS} models are shown." if len(view.models) > MOST_ROWS else ""
    description = (
        f"Each model, the best first, against {whom}: > it is better, < it is worse, = they are equivalent, "
        "? they are not separated, ! the verdict is withheld because missing scores could turn it around."
        f"{rows}"
    )
    return Chart("matrix", _conclusion(view), description, lambda width: _draw(view, width))


def _conclusion(view: View) -> str:
    if len(view.pairs) == 1:
        pair = view.pairs[0]
        said = {"equivalent": "are equivalent", "withheld": "could change places"}
        if pair.separated:
            return f"{pair.ahead} is better than {pair.behind}"
        return f"{pair.names} {said.get(pair.verdict, 'are not separated')}"
    lead = view.ranking[0].model
    beaten = sum(pair.separated and pair.ahead == lead for pair in view.pairs)
    others = len(view.models) - 1
    first = (
        f"{lead} is better than every other model"
        if beaten == others
        else f"{lead} has the highest mean and is separated from {beaten or 'none'} of {others} others"
    )
    beside = _beside(view)
    apart = sum(pair.separated for pair in beside)
    verb = "is" if apart == 1 else "are"
    return f"{first}; of {len(beside)} neighbours in the ranking {apart or 'none'} {verb} separated"


def _beside(view: View) -> list[Pair]:
    place = view.order_of
    return [pair for pair in view.pairs if abs(place[pair.a] - place[pair.b]) == 1]


def _fitting(width: int, view: View) -> int:
    """How many models there may be for each to have a column."""
    return (width - _left(view, width) - 20) // SMALLEST + 1


def _left(view: View, width: int) -> int:
    return room_for(_numbered([ranked.model for ranked in view.ranking[:MOST_ROWS]]), width)


def _numbered(names: Sequence[str]) -> list[str]:
    return [f"{i} {name}" for i, name in enumerate(names, 1)]


def _grid(view: View, width: int) -> _Grid:
    left = _left(view, width)
    models = [ranked.model for ranked in view.ranking]
    # Nothing is ranked below the last model, and the first is below none.
    names, heads = models[:-1][:MOST_ROWS], models[1:]
    many = len(view.models) > _fitting(width, view)
    room = width - left - 20
    columns = min(room // SMALLEST, MOST_NEIGHBOURS) if many else len(heads)
    cell = min(_LARGEST, room // columns)
    if many:
        heads = [f"+{i}" for i in range(1, columns + 1)]
    elif max(map(len, heads)) * LETTER > cell:
        heads = [str(i) for i in range(2, len(models) + 1)]
    return _Grid(names, heads, left, cell, _HIGH if len(names) <= 12 else SMALLEST, columns, many)


def _draw(view: View, width: int) -> Drawing:
    grid = _grid(view, width)
    cells = _cells(view, grid)
    x, y = alt.X("x:Q", scale=None, axis=None), alt.Y("y:Q", scale=None, axis=None)
    layers = []
    for kind, (ground, ink) in _LOOKS.items():
        found = cells.filter(kind=kind)
        if not found.height:
            continue
        base = alt.Chart(found)
        layers += [
            base.mark_rect(fill=ground, stroke=GRID, strokeWidth=1, cornerRadius=2).encode(
                x=x, x2="x2:Q", y=y, y2="y2:Q"
            ),
            base.mark_text(color=ink, fontSize=13, fontWeight="bold" if kind != "equivalent" else "normal")
            .encode(x=alt.X("middle:Q", scale=None, axis=None), y=alt.Y("centre:Q", scale=None, axis=None))
            .encode(text="text:N"),
        ]
    layers += _labels(grid)
    height = _HEAD + grid.high * len(grid.names)
    return alt.LayerChart(layer=layers, width=grid.left + grid.cell * grid.columns, height=height)


def _cells(view: View, grid: _Grid) -> pl.DataFrame:
    place, form = view.order_of, scale(view)
    rows = []
    for pair in view.pairs:
        i, j = sorted((place[pair.a], place[pair.b]))
        column = j - i - 1 if grid.neighbours else j - 1
        if i >= len(grid.names) or column >= grid.columns:
            continue
        kind = pair.verdict if not pair.separated else "better" if place[pair.ahead] == i else "worse"
        left, top = grid.left + column * grid.cell, _HEAD + i * grid.high
        rows.append(
            {
                "kind": kind,
                "x": left + 1,
                "x2": left + grid.cell - 1,
                "y": top + 1,
                "y2": top + grid.high - 1,
                "middle": left + grid.cell / 2,
                "centre": top + grid.high / 2 + 1,
                "text": _text(pair, kind, form, grid),
            }
        )
    return pl.DataFrame(rows)


def _text(pair: Pair, kind: str, form: Scale, grid: _Grid) -> str:
    """The sign, and the difference where there is room."""
    if grid.cell < _ROOMY or pair.lead is None:
        return _SIGNS[kind]
    gap = -pair.lead if kind == "worse" else pair.lead
    return f"{_SIGNS[kind]} {form.gap(gap)}"


def _labels(grid: _Grid) -> list[alt.Chart]:
    middle = [_HEAD + (i + 0.5) * grid.high + 1 for i in range(len(grid.names))]
    names = [fitted(name, grid.left) for name in _numbered(grid.names)]
    rows = pl.DataFrame({"name": names, "x": grid.left - 8.0, "y": middle})
    columns = pl.DataFrame(
        {
            "name": grid.heads,
            "x": [grid.left + (i + 0.5) * grid.cell for i in range(grid.columns)],
            "y": _HEAD - 9.0,
        }
    )
    x, y = alt.X("x:Q", scale=None, axis=None), alt.Y("y:Q", scale=None, axis=None)
    return [
        alt.Chart(rows).mark_text(align="right", color=INK).encode(x=x, y=y, text="name:N"),
        alt.Chart(columns).mark_text(color=MUTED).encode(x=x, y=y, text="name:N"),
    ]
