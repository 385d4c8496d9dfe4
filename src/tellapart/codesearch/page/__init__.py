"""The report of an evaluated codebase search: from its stored record to a terminal, Markdown and one page."""

from tellapart.codesearch.page.output import figures, html, markdown, terminal, write_report
from tellapart.codesearch.page.view import View, load

__all__ = ["View", "figures", "html", "load", "markdown", "terminal", "write_report"]
