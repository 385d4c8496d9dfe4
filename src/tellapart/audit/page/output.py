"""The audit of an evaluation in a terminal, as Markdown and as a page."""

from __future__ import annotations

from pathlib import Path

from rich.console import RenderableType

from tellapart.audit.page.screen import shown, terminal_lines
from tellapart.audit.page.sections import document
from tellapart.audit.results import Findings
from tellapart.report.document import Links
from tellapart.report.markdown import markdown_document
from tellapart.report.page import html_document
from tellapart.store import write_text


def terminal(findings: Findings) -> list[RenderableType]:
    """Show the verdict first, then pairs, kinds of items, order and items, on one screen."""
    return [shown(line) for line in terminal_lines(findings)]


def markdown(findings: Findings, links: Links = ()) -> str:
    """Give the whole report as Markdown; a chart is the sentence that it proves.

    Args:
        findings: Of an audit, with its table of items.
        links: Other reports, and where they lie relative to this one.
    """
    return markdown_document(document(findings, links))


def html(findings: Findings, links: Links = ()) -> str:
    """Give the whole report as one HTML file with its charts; see `markdown`."""
    return html_document(document(findings, links))


def write_report(
    findings: Findings, *, html: Path | None = None, markdown: Path | None = None, links: Links = ()
) -> None:
    """Write the report, each file whole or not at all.

    Args:
        findings: Of an audit, with its table of items.
        html: Where the page goes, if one is wanted.
        markdown: Where the Markdown goes, if it is wanted.
        links: Other reports, and where they lie relative to this one.

    Raises:
        StorageError: A place cannot be written.
    """
    if html is None and markdown is None:
        return
    report = document(findings, links)
    for path, give in ((html, html_document), (markdown, markdown_document)):
        if path is not None:
            write_text(path, give(report))
