"""The report of a contrastive run: from its stored record to a terminal, Markdown and one page."""

from tellapart.contrastive.page.output import (
    bias_tables,
    html,
    json_figures,
    markdown,
    terminal,
    validation_tables,
    write_report,
)
from tellapart.contrastive.page.view import View, load

__all__ = [
    "View",
    "bias_tables",
    "html",
    "json_figures",
    "load",
    "markdown",
    "terminal",
    "validation_tables",
    "write_report",
]
