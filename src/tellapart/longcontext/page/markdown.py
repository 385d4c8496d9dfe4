"""Text that a model wrote, in Markdown: whole, and unable to make headings, rows or markup."""

from __future__ import annotations

import re

from tellapart.report.markdown import escape
from tellapart.report.tables import Cell, Table

_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f]")
_OPENING = re.compile(r"^(?:([#+=-])|(\d{1,9})([.)]))")
_ABOUT = re.compile(r"(?<!\S)\\~(?=\d)")
_BLANK = "\N{NO-BREAK SPACE}"
_LEAST = 3


def inline(text: object) -> str:
    """Escape what Markdown and HTML would read as markup; line ends become spaces.

    A tilde before a figure, as in ``~4K``, stays: nothing that could end the struck-out text is left.
    """
    escaped = escape(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(text)))
    return _ABOUT.sub("~", escaped)


def quoted(text: str) -> str:
    """Give a text behind a name on the same line, or, where it has line ends, as a quotation below it."""
    lines = text.strip("\r\n").splitlines()
    if not text.strip():
        return " (empty)"
    if len(lines) == 1:
        return f" {inline(lines[0].strip())}"
    quoted = [
        _line(line, breaks=i + 1 < len(lines) and bool(lines[i + 1].strip())) for i, line in enumerate(lines)
    ]
    return "\n\n" + "\n".join(quoted) + "\n"


def _line(line: str, *, breaks: bool) -> str:
    bare = line.expandtabs(4).rstrip()
    body = bare.lstrip(" ")
    if not body:
        return "  >"
    shown = _OPENING.sub(_harmless, inline(body))
    return f"  > {_BLANK * (len(bare) - len(body))}{shown}" + ("\\" if breaks else "")


def _harmless(match: re.Match[str]) -> str:
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def fenced(text: str) -> str:
    """Show lines as they are, in a fence longer than any inside."""
    fence = "`" * max(_LEAST, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def plain_table(table: Table) -> str:
    """Give a table without its title, as the document has them; its notes follow."""
    lines = [_row([inline(column.title) for column in table.columns])]
    lines.append("|" + "---|" * len(table.columns))
    lines += [_row([_cell(table, cell) for cell in row]) for row in table.rows]
    for note in table.notes():
        lines += ["", inline(note)]
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(table: Table, cell: Cell) -> str:
    text = inline(table.shown(cell))
    return f"{text} ({inline(cell.detail)})" if cell.detail else text
