"""A report in a terminal of 80 columns or more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Literal

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


def _side_by_side(table: Table) -> RenderableType:
    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for column in table.columns:
        justify: Literal["left", "right"] = "right" if column.numeric else "left"
        grid.add_column(
            Text(plain(column.title)),
            justify=justify,
            no_wrap=column.numeric,
            overflow="fold",
            vertical="top",
        )
    for row in table.rows:
        grid.add_row(*(_cell(table, cell) for cell in row))
    notes = [Text(plain(note), style="dim") for note in table.notes()]
    return Padding(Group(Text(plain(table.title), style="bold"), grid, *notes), (1, 0, 0, 0))


def fitted_table(table: Table) -> RenderableType:
    """Show a table with its title above and its notes below; a cell's detail goes on lines of its own.

    Where a word of a name or a title has no room, names go on lines of their own, above their figures.
    """
    return _Fitted(table)


@dataclass(frozen=True)
class _Fitted:
    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        needed = sum(_least(self.table, i) + _BETWEEN for i in range(len(self.table.columns))) - _BETWEEN
        yield _side_by_side(self.table) if needed <= options.max_width else _stacked(self.table)


def _least(table: Table, i: int) -> int:
    """Width of a column whose figures keep their lines, and whose names are broken between words alone."""
    texts = [table.columns[i].title, *(_cell(table, row[i]).plain for row in table.rows)]
    pieces = [
        piece for text in texts for piece in (text.split("\n") if table.columns[i].numeric else text.split())
    ]
    return max(map(cell_len, pieces), default=0)


def _stacked(table: Table) -> RenderableType:
    """Names flush left, each above its row of figures, which keep their columns; titles break at words."""
    figures = [i for i, column in enumerate(table.columns) if column.numeric]
    titles = [
        Text("\n".join(wrap(table.columns[i].title, _stacked_width(table, i)) or [""]), style="bold")
        for i in figures
    ]
    headings = " · ".join(column.title for i, column in enumerate(table.columns) if i not in figures)
    parts: list[RenderableType] = [
        Text(plain(table.title), style="bold"),
        *([Text(headings, style="bold")] if headings else []),
        _figures(table, figures, titles, "bottom"),
    ]
    for row in table.rows:
        words = [cell for i, cell in enumerate(row) if i not in figures]
        names = [plain(table.shown(cell)) for cell in words]
        details = [Text(plain(cell.detail), style="dim") for cell in words if cell.detail]
        shown = [_cell(table, row[i]) for i in figures]
        parts += [Text(" · ".join(filter(None, names))), *details, _figures(table, figures, shown)]
    notes = [Text(plain(note), style="dim") for note in table.notes()]
    return Padding(Group(*parts, *notes), (1, 0, 0, 0))


def _stacked_width(table: Table, i: int) -> int:
    """Width of the figures of a column, or of the longest word of its title."""
    texts = table.columns[i].title.split() + [
        line for row in table.rows for line in _cell(table, row[i]).plain.split("\n")
    ]
    return max(map(cell_len, texts), default=1)


def _figures(
    table: Table, figures: Sequence[int], cells: Sequence[Text], vertical: Literal["top", "bottom"] = "top"
) -> RichTable:
    # Versions of rich disagree on padding beside fixed widths, so what is between columns belongs to them.
    grid = RichTable.grid()
    for position, i in enumerate(figures):
        width = _stacked_width(table, i) + (_BETWEEN if position else 0)
        grid.add_column(justify="right", vertical=vertical, width=width, no_wrap=True)
    grid.add_row(*cells)
    return grid


def rich_list(sentences: Sequence[str]) -> RenderableType:
    """Show sentences as a list."""
    grid = RichTable.grid(padding=(0, 1, 0, 0))
    for sentence in sentences:
        grid.add_row("•", Text(plain(sentence)))
    return grid


def _cell(table: Table, cell: Cell) -> Text:
    text = Text(plain(table.shown(cell)), style="bold" if cell.strong else "")
    if cell.detail:
        text.append("\n" + "\n".join(map(plain, cell.detail.split("; "))), style="dim not bold")
    return text
