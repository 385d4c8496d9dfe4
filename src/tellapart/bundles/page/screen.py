"""What a command shows, for a terminal and as a comment on a pull request: a line, sentences and tables."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rich.console import RenderableType
from rich.text import Text

from tellapart.report import numbers as show
from tellapart.report.document import Document
from tellapart.report.markdown import escape, markdown_table
from tellapart.report.tables import Table
from tellapart.report.terminal import fitted_table, rich_list

MOST_ROWS = 25
"""Rows of a table in a terminal; pages and JSON have all."""


@dataclass(frozen=True)
class Brief:
    """The line that matters most, sentences about it, and tables."""

    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()

    def terminal(self) -> list[RenderableType]:
        """For a terminal, long tables cut."""
        sentences = [rich_list(self.sentences)] if self.sentences else []
        return [Text(self.title, style="bold"), *sentences, *(fitted_table(_cut(t)) for t in self.tables)]

    def comment(self) -> str:
        """As Markdown, for a comment on a pull request."""
        parts = [
            f"**{escape(self.title)}**",
            "\n".join(f"- {escape(sentence)}" for sentence in self.sentences),
            *map(markdown_table, self.tables),
        ]
        return "\n\n".join(filter(None, parts)) + "\n"


def in_terminal(document: Document) -> list[RenderableType]:
    """Show a report in a terminal: its verdict and its tables."""
    tables = [table for section in document.sections for table in (*section.tables, *section.folded)]
    return Brief(f"{document.title.removesuffix('.')}.", document.verdict, tuple(tables)).terminal()


def _cut(table: Table) -> Table:
    more = len(table.rows) - MOST_ROWS
    if more <= 0:
        return table
    note = f"{table.note} {show.plural(more, 'more row')}: add --json.".strip()
    return replace(table, rows=table.rows[:MOST_ROWS], note=note)
