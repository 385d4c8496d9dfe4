"""The audit of an evaluation in a terminal, as Markdown and as a page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import RenderableType

from tellapart.audit.page import verdict
from tellapart.audit.page.record import item_table, load
from tellapart.audit.page.screen import shown, terminal_lines
from tellapart.audit.page.sections import document
from tellapart.report.document import Links
from tellapart.report.markdown import markdown_document
from tellapart.report.page import html_document
from tellapart.store import write_text

Figures = Mapping[str, Any]


def terminal(figures: Figures) -> list[RenderableType]:
    """Show the verdict first, then pairs, kinds of items, order and items, on one screen.

    Args:
        figures: As ``tellapart audit --json`` prints them.

    Raises:
        InputError: They are not those of an audit.
    """
    return [shown(line) for line in terminal_lines(load(figures))]


def headline(figures: Figures) -> str:
    """Say in one sentence, without its full stop, which models are told apart, and which are not.

    Args:
        figures: As ``tellapart audit --json`` prints them.

    Raises:
        InputError: They are not those of an audit.
    """
    return verdict.headline(load(figures))


def markdown(figures: Figures, items: pl.DataFrame, links: Links = ()) -> str:
    """Give the whole report as Markdown; a chart is the sentence that it proves.

    Args:
        figures: As ``tellapart audit --json`` prints them.
        items: One row an item, with the columns of `record.ITEM_COLUMNS` that are known.
        links: Other reports, and where they lie relative to this one.

    Raises:
        InputError: The figures are not those of an audit.
    """
    return markdown_document(document(load(figures), item_table(items), links))


def html(figures: Figures, items: pl.DataFrame, links: Links = ()) -> str:
    """Give the whole report as one HTML file with its charts; see `markdown`."""
    return html_document(document(load(figures), item_table(items), links))


def write_report(
    figures: Figures,
    items: pl.DataFrame,
    *,
    html: Path | None = None,
    markdown: Path | None = None,
    links: Links = (),
) -> None:
    """Write the report, each file whole or not at all.

    Args:
        figures: As ``tellapart audit --json`` prints them.
        items: One row an item; see `markdown`.
        html: Where the page goes, if one is wanted.
        markdown: Where the Markdown goes, if it is wanted.
        links: Other reports, and where they lie relative to this one.

    Raises:
        InputError: The figures are not those of an audit; nothing is written.
        StorageError: A place cannot be written.
    """
    if html is None and markdown is None:
        return
    report = document(load(figures), item_table(items), links)
    for path, give in ((html, html_document), (markdown, markdown_document)):
        if path is not None:
            write_text(path, give(report))
