"""A contrastive run in a terminal, as Markdown and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tellapart.contrastive.page import methods, tables
from tellapart.contrastive.page.items import items_widget
from tellapart.contrastive.page.llm_tables import missing_tables
from tellapart.contrastive.page.sections import document, first_look, headline, sentences
from tellapart.contrastive.page.view import View, load
from tellapart.contrastive.results import SelectionBias, SetUps
from tellapart.core.comparison import from_json, to_json
from tellapart.report import comparison as block
from tellapart.report.document import Links
from tellapart.report.markdown import markdown_document
from tellapart.report.page import html_document
from tellapart.report.terminal import fitted_table, rich_list, rich_table
from tellapart.store import RunDirectory, write_text


def terminal(view: View) -> list[RenderableType]:
    """Show the verdict first with its pairs, then accuracy, controls and the swap test."""
    shown = [
        tables.accuracy_by_level(view),
        *missing_tables(view),
        *first_look(view),
        *([tables.controls(view), tables.swaps(view)] if view.embedders else []),
    ]
    fingerprint = Text(f"\nbenchmark {view.report.fingerprint}", style="dim")
    return [
        *_verdict(view),
        rich_list(sentences(view)),
        *map(fitted_table if view.of_language_models else rich_table, shown),
        fingerprint,
    ]


def _verdict(view: View) -> list[RenderableType]:
    comparison = view.comparison
    if comparison is None:
        return [Text(headline(view), style="bold")]
    levels = tables.by_level(comparison, view.levels) if len(view.levels) > 1 else None
    return [*block.terminal(comparison, strata=False), *([fitted_table(levels)] if levels else [])]


def json_figures(view: View) -> dict[str, Any]:
    """Give all figures for scripts: those stored, and the comparison of the models.

    ``pairs`` are those of the comparison, by level and ``overall``, with the names that earlier versions gave
    to their interval and adjusted p.
    """
    results = view.report.to_json()
    if view.comparison is None:
        return results
    record = to_json(view.comparison)
    primary, secondary = record["primary"], record["secondary"] or {"pairs": []}
    pairs = {"overall": primary["pairs"]} if primary["scope"] == "all items" else {}
    pairs |= {level: [one for one in secondary["pairs"] if one["stratum"] == level] for level in view.levels}
    old = {
        name: [one | {"ci": one["interval"], "p_holm": one["p_adjusted"]} for one in of]
        for name, of in pairs.items()
    }
    return {**results, "pairs": old, "comparison": record}


def bias_tables(bias: SelectionBias) -> list[RenderableType]:
    """Show figures of the selection bias in a terminal."""
    return [rich_table(table) for table in methods.bias(bias)]


def validation_tables(setups: SetUps) -> list[RenderableType]:
    """Show the set-ups compared in a terminal."""
    compared: list[RenderableType] = []
    if setups.comparison:
        compared = block.terminal(from_json(setups.comparison), strata=False)
    return [*compared, *(rich_table(table) for table in methods.validation(setups))]


def markdown(view: View, links: Links = ()) -> str:
    """Give the whole report as Markdown; a chart is the sentence that it proves."""
    return markdown_document(document(view, links=links))


def html(view: View, links: Links = ()) -> str:
    """Give the whole report as one HTML file, with its charts and every item."""
    return html_document(document(view, items_widget(view), links))


def write_report(
    run: RunDirectory | View, html: Path | None = None, markdown: Path | None = None, *, links: Links = ()
) -> None:
    """Write the report of a run, each file whole or not at all.

    Args:
        run: A contrastive run, or one that is loaded.
        html: Where the page goes, if one is wanted.
        markdown: Where the Markdown goes, if it is wanted.
        links: Other reports, and where they lie relative to this one.

    Raises:
        InputError: The record is incomplete or damaged; nothing is written.
        StorageError: A place cannot be written.
    """
    view = run if isinstance(run, View) else load(run)
    texts = [(html, _html), (markdown, _markdown)]
    for path, text in [(path, give(view, links)) for path, give in texts if path is not None]:
        write_text(path, text)


_html, _markdown = html, markdown
