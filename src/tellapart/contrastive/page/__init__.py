"""The report of a contrastive run, from its stored record."""

from tellapart.contrastive.page.methods import validation_document
from tellapart.contrastive.page.report import document, json_figures
from tellapart.contrastive.page.view import View, load

__all__ = [
    "View",
    "document",
    "json_figures",
    "load",
    "validation_document",
]
