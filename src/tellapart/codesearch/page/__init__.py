"""The report of an evaluated codebase search, from its stored record to one document and JSON."""

from tellapart.codesearch.page.report import document, figures
from tellapart.codesearch.page.view import View, load

__all__ = ["View", "document", "figures", "load"]
