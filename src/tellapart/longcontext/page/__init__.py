"""The report of graded conversations: a terminal, the source document's Markdown, and one page."""

from tellapart.longcontext.page.document import document, figures, terminal, write_report
from tellapart.longcontext.page.documented import documented_report
from tellapart.longcontext.page.view import View, load

__all__ = ["View", "document", "documented_report", "figures", "load", "terminal", "write_report"]
