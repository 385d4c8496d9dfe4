"""Tables for a terminal of 80 columns or more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from tellapart.report.tables import Cell, Table


def rich_table(table: Table) -> RenderableType:
    """Show a table with its title above and its notes below; a cell's detail goes on lines of its own."""
    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for column in table.columns:
        justify: Literal["left", "right"] = "right" if column.numeric else "left"
        grid.add_column(
            column.title, justify=justify, no_wrap=column.numeric, overflow="fold", vertical="top"
        )
    for row in table.rows:
        grid.add_row(*(_cell(table, cell) for cell in row))
    notes = [Text(note, style="dim") for note in table.notes()]
    return Padding(Group(Text(table.title, style="bold"), grid, *notes), (1, 0, 0, 0))


def rich_list(sentences: Sequence[str]) -> RenderableType:
    """Show sentences as a list."""
    grid = RichTable.grid(padding=(0, 1, 0, 0))
    for sentence in sentences:
        grid.add_row("•", Text(sentence))
    return grid


def _cell(table: Table, cell: Cell) -> Text:
    text = Text(table.shown(cell), style="bold" if cell.strong else "")
    if cell.detail:
        text.append("\n" + "\n".join(cell.detail.split("; ")), style="dim not bold")
    return text
