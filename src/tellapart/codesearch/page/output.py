"""An evaluated search in a terminal, as Markdown and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tellapart.codesearch.page import exploring, tables, trend
from tellapart.codesearch.page.browser import browser
from tellapart.codesearch.page.sections import document
from tellapart.codesearch.page.verdict import headline, sentences
from tellapart.codesearch.page.view import View
from tellapart.report import comparison as block
from tellapart.report.document import Links
from tellapart.report.markdown import markdown_document
from tellapart.report.page import html_document
from tellapart.report.terminal import fitted_table, rich_list
from tellapart.store import write_text


def terminal(view: View) -> list[RenderableType]:
    """Show the verdict first, then the trend of a loop, the measures, the areas, and who explored."""
    fallen = trend.regressions_table(view)
    shown = [
        *([fallen] if fallen else []),
        *([trend.trend(view)] if view.history is not None else []),
        tables.measures(view),
        *([tables.areas(view, brief=True)] if view.metrics.areas else []),
        exploring.runs(view),
    ]
    found = trend.comparison(view)
    title = f"\nThe last two iterations, by {trend.compared_by(view)}:" if found else ""
    compared = [Text(title), *block.terminal(found, strata=False)] if found else []
    return [
        Text(headline(view), style="bold"),
        rich_list(sentences(view)),
        *compared,
        *map(fitted_table, shown),
        Text(f"\nevaluation {view.fingerprint[:16]}", style="dim"),
    ]


def figures(view: View) -> dict[str, Any]:
    """Everything that is reported, for programs: the figures and warnings as stored, and the trend."""
    found: dict[str, Any] = {
        "iteration_number": view.iteration,
        "headline": headline(view),
        "metrics": view.stored["metrics"],
        "warnings": list(view.warnings),
    }
    return found if view.history is None else found | {"history": view.stored_history}


def markdown(view: View, links: Links = ()) -> str:
    """Give the whole report as Markdown; a chart is the sentence that it proves."""
    return markdown_document(document(view, links=links))


def html(view: View, links: Links = ()) -> str:
    """Give the whole report as one HTML file, with its charts and every conversation."""
    return html_document(document(view, browser(view), links))


def write_report(
    view: View, html: Path | None = None, markdown: Path | None = None, *, links: Links = ()
) -> None:
    """Write the report of an evaluation, each file whole or not at all.

    Args:
        view: What is reported.
        html: Where the page goes, if one is wanted.
        markdown: Where the Markdown goes, if it is wanted.
        links: Other reports, and where they lie relative to this one.

    Raises:
        StorageError: A place cannot be written.
    """
    texts = [(html, _html), (markdown, _markdown)]
    for path, text in [(path, give(view, links)) for path, give in texts if path is not None]:
        write_text(path, text)


_html, _markdown = html, markdown
