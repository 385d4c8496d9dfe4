"""The report of an evaluated codebase search: from its stored record to a terminal, Markdown and one page."""

from tellapart.codesearch.page.report import document, figures, terminal
from tellapart.codesearch.page.view import View, load

__all__ = ["View", "document", "figures", "load", "terminal"]
