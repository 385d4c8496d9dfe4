"""A report in a terminal of 80 columns or more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from tellapart.report import numbers as show
from tellapart.report.document import Document
from tellapart.report.plain_text import plain
from tellapart.report.tables import Cell, Table

_BETWEEN = 2
"""Spaces between two columns."""

MOST_ROWS = 20
"""Rows of a table in a terminal; pages and JSON have all."""


def terminal(document: Document) -> list[RenderableType]:
    """Show the verdict, the ranking, and the tables of the sections that a terminal shows."""
    spans = [one for one in (document.ranking, document.differences) if one and not one.is_told_elsewhere]
    tables = [table for section in document.sections if section.in_terminal for table in section.tables]
    return [
        Text(plain(f"{document.title.removesuffix('.')}."), style="bold"),
        *([rich_list(document.verdict)] if document.verdict else []),
        *(fitted_table(_cut(table)) for table in (*(one.table() for one in spans), *tables)),
    ]


def _cut(table: Table) -> Table:
    more = len(table.rows) - MOST_ROWS
    if more <= 0:
        return table
    rest = f"{show.plural(more, 'more row')}: --json or --html."
    return replace(table, rows=table.rows[:MOST_ROWS], note=f"{table.note} {rest}".strip())


def rich_list(sentences: Sequence[str]) -> RenderableType:
    """Show sentences as a list."""
    grid = RichTable.grid(padding=(0, 1, 0, 0))
    for sentence in sentences:
        grid.add_row("•", Text(plain(sentence)))
    return grid


def fitted_table(table: Table) -> RenderableType:
    """Show a table with its title above and its notes below; a cell's detail goes on lines of its own.

    Where a word of a name or a title has no room, names go on lines of their own, above their figures.
    """
    return _Fitted(table)


@dataclass(frozen=True)
class _Fitted:
    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = range(len(self.table.columns))
        needed = sum(_width(self.table, i) + _BETWEEN for i in columns) - _BETWEEN
        parts = _side_by_side(self.table) if needed <= options.max_width else _stacked(self.table)
        notes = [Text(plain(note), style="dim") for note in self.table.notes()]
        yield Padding(Group(Text(plain(self.table.title), style="bold"), *parts, *notes), (1, 0, 0, 0))


def _width(table: Table, i: int, *, is_broken: bool = False) -> int:
    """Width of a column, whose names are broken between words; heads of figures only if ``is_broken``."""
    column, cells = table.columns[i], [_cell(table, row[i]).plain for row in table.rows]
    lines = [line for text in cells for line in (text.split("\n") if column.numeric else text.split())]
    heads = [plain(column.title)] if column.numeric and not is_broken else column.title.split()
    return max(map(cell_len, [*heads, *lines]), default=0)


def _side_by_side(table: Table) -> list[RenderableType]:
    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for column in table.columns:
        grid.add_column(
            Text(plain(column.title)),
            justify="right" if column.numeric else "left",
            no_wrap=column.numeric,
            overflow="fold",
            vertical="top",
        )
    for row in table.rows:
        grid.add_row(*(_cell(table, cell) for cell in row))
    return [grid]


def _stacked(table: Table) -> list[RenderableType]:
    """Names flush left, each above its row of figures, which keep their columns; titles break at words."""
    figures = [i for i, column in enumerate(table.columns) if column.numeric]
    widths = [max(_width(table, i, is_broken=True), 1) for i in figures]

    def line(cells: Sequence[Text]) -> RichTable:
        # Versions of rich disagree on padding beside fixed widths: what is between belongs to columns.
        grid = RichTable.grid()
        for position, width in enumerate(widths):
            grid.add_column(justify="right", width=width + (_BETWEEN if position else 0), no_wrap=True)
        grid.add_row(*cells)
        return grid

    broken = [wrap(table.columns[i].title, width) or [""] for i, width in zip(figures, widths, strict=True)]
    deepest = max(map(len, broken), default=0)
    heads = [Text("\n".join([""] * (deepest - len(one)) + one), style="bold") for one in broken]
    names = " · ".join(column.title for column in table.columns if not column.numeric)
    parts: list[RenderableType] = [*([Text(names, style="bold")] if names else []), line(heads)]
    for row in table.rows:
        words = [cell for cell, column in zip(row, table.columns, strict=True) if not column.numeric]
        parts.append(Text(" · ".join(filter(None, (plain(table.shown(cell)) for cell in words)))))
        parts += [Text(plain(cell.detail), style="dim") for cell in words if cell.detail]
        parts.append(line([_cell(table, row[i]) for i in figures]))
    return parts


def _cell(table: Table, cell: Cell) -> Text:
    text = Text(plain(table.shown(cell)), style="bold" if cell.strong else "")
    if cell.detail:
        text.append("\n" + "\n".join(map(plain, cell.detail.split("; "))), style="dim not bold")
    return text
