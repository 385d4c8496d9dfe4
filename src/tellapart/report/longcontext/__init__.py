"""The report of graded conversations: a terminal, the source document's Markdown, and one page."""

from tellapart.report.longcontext.documented import documented_report
from tellapart.report.longcontext.output import figures, terminal, write_report
from tellapart.report.longcontext.record import View, load
from tellapart.report.longcontext.sections import html_report

__all__ = ["View", "documented_report", "figures", "html_report", "load", "terminal", "write_report"]
