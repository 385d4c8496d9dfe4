"""The report of a graded conversation: the source document's Markdown, and one page."""

from tellapart.report.longcontext.documented import documented_report
from tellapart.report.longcontext.record import View, load

__all__ = ["View", "documented_report", "load"]
