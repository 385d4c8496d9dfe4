"""The report of a contrastive run: from its stored record to a terminal, Markdown and one page."""

from tellapart.contrastive.page.methods import validation_document, validation_tables
from tellapart.contrastive.page.report import document, json_figures, terminal
from tellapart.contrastive.page.view import View, load

__all__ = [
    "View",
    "document",
    "json_figures",
    "load",
    "terminal",
    "validation_document",
    "validation_tables",
]
