"""Tables and text as GitHub-flavoured Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tellapart.report.document import Document, Passage, Section
from tellapart.report.plain_text import plain, visible
from tellapart.report.tables import Cell, Table

# A mention or the number of an issue, which GitHub would link; a mention also notifies the person.
_REFERENCE = re.compile(r"(?<!\w)@(?=\w)|(?<!&)#(?=\d)|(?<![A-Za-z])GH-(?=\d)", re.IGNORECASE)
_APART = "&#8203;"
"""A space without width: with it between sign and name, both are text."""

_SPECIAL = re.compile(r"[\\`*\[\]<>|~]|&(?=#?\w+;)|(?<!\w)_|_(?!\w)")


def escape(text: str) -> str:
    """Escape what Markdown would read as markup, and GitHub as a mention or an issue; no line breaks."""
    escaped = _SPECIAL.sub(lambda match: "\\" + match.group(), plain(" ".join(text.splitlines())))
    return _REFERENCE.sub(lambda match: match.group() + _APART, escaped)


def markdown_table(table: Table) -> str:
    """Give a table with its title above and its notes below; a cell's detail follows it in brackets."""
    lines = [f"**{escape(table.title)}**", ""]
    lines.append(table_line([escape(column.title) for column in table.columns]))
    lines.append(table_line(["---:" if column.numeric else "---" for column in table.columns]))
    lines += [table_line([_cell(table, cell) for cell in row]) for row in table.rows]
    for note in table.notes():
        lines += ["", escape(note)]
    return "\n".join(lines)


def markdown_document(document: Document) -> str:
    """Give a report as Markdown; of a chart it shows the sentence that it proves."""
    facts = " · ".join(_named(document.facts))
    links = ", ".join(f"[{escape(name)}]({address})" for name, address in document.addresses())
    seen = f"See also {links}" if links else ""
    parts = [f"# {escape(document.title)}", _bullets(map(escape, document.verdict)), facts, seen]
    spans = [one for one in (document.ranking, document.differences) if one and not one.is_told_elsewhere]
    parts += [markdown_table(one.table()) for one in spans]
    parts += [_section(section) for section in document.sections]
    parts += ["## How this was made", _bullets(_named(document.origin))]
    if document.commands:
        parts.append("\n".join(["```sh", *document.commands, "```"]))
    return "\n\n".join(filter(None, parts)) + "\n"


def _section(section: Section) -> str:
    """A section, empty where all that it holds is a widget."""
    proven = [f"*{escape(chart.title)}.*" for chart in section.charts]
    tables = [markdown_table(table) for table in (*section.tables, *section.folded)]
    text = [escape(section.text)] if section.text else []
    passages = [_passage(passage) for passage in section.passages]
    content = [*text, *proven, *tables, *passages]
    return "\n\n".join([f"## {escape(section.title)}", *content]) if content or not section.widget else ""


def _passage(passage: Passage) -> str:
    """Texts in fences that are longer than any inside them, so that no text can end its own."""
    parts = [f"**{escape(passage.title)}** {escape(passage.source)}"]
    for name, text in passage.parts:
        parts.append(f"{escape(name)}:\n\n{fenced(visible(text), 'text')}")
    return "\n\n".join(parts)


def fenced(text: str, language: str = "") -> str:
    """Show lines as they are, in a fence longer than any inside."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _named(facts: Mapping[str, str]) -> list[str]:
    return [f"**{escape(name)}** {escape(value)}" for name, value in facts.items()]


def table_line(cells: Iterable[str]) -> str:
    """A row of cells."""
    return f"| {' | '.join(cells)} |"


def _cell(table: Table, cell: Cell) -> str:
    text = escape(table.shown(cell))
    shown = f"**{text}**" if cell.strong else text
    return f"{shown} ({escape(cell.detail)})" if cell.detail else shown
