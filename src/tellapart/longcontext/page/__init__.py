"""The report of graded conversations, and the source document's Markdown."""

from tellapart.longcontext.page.document import document, documented_report, figures, write_report
from tellapart.longcontext.page.view import View, load

__all__ = ["View", "document", "documented_report", "figures", "load", "write_report"]
