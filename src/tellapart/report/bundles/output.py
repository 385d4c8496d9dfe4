"""Scoreboards in a terminal, as figures, as Markdown and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tellapart.report.bundles import margins, mined
from tellapart.report.bundles.mined import Mined
from tellapart.report.bundles.pairs import pairs
from tellapart.report.bundles.record import View
from tellapart.report.bundles.sections import document
from tellapart.report.bundles.verdict import cautions, headline, verdict
from tellapart.report.document import Links
from tellapart.report.markdown import markdown_document
from tellapart.report.page import html_document
from tellapart.report.terminal import rich_list, rich_table
from tellapart.store import write_text


def terminal(view: View, found: Mined | None = None) -> list[RenderableType]:
    """Show the verdict first, then pass rates, ranks, pairs, the hardest bundles and what was mined."""
    tables = [margins.pass_rates(view), margins.ranks(view)]
    if len(view.boards) > 1:
        tables.append(margins.differences(view))
    tables.append(margins.hardest_table(view))
    if found:
        tables += [mined.rates_table(found.stats)] if found.stats else []
        tables.append(mined.strengths_table(found))
    sentences = [*verdict(view), *(mined.sentences(found) if found else [])]
    return [Text(headline(view), style="bold"), rich_list(sentences), *map(rich_table, tables)]


def figures(view: View, found: Mined | None = None) -> dict[str, Any]:
    """Give what the report shows as figures that JSON can say."""
    hardest = [
        {
            "item": row["item"],
            "tier": row["tier_0"],
            "margins": {label: row[f"margin_{i}"] for i, label in enumerate(view.models)},
        }
        for row in margins.hardest(view).iter_rows(named=True)
    ]
    return {
        "verdict": headline(view),
        "exploratory": view.exploratory,
        "scope": view.scope,
        "cautions": cautions(view),
        "models": {
            board.label: {
                "scoreboard": str(board.path),
                "fingerprint": board.fingerprint,
                "tiers": board.tiers,
                "tiers_by_own_margins": board.own_cut,
            }
            for board in view.boards
        },
        "bundles_in_different_tiers": view.moved,
        "pairs": [
            {
                "a": pair.a,
                "b": pair.b,
                "n": pair.n,
                "difference": pair.difference,
                "ci95": [pair.interval.low, pair.interval.high] if pair.interval else None,
                "p": pair.p,
                "p_holm": pair.p_holm,
                "status": pair.status.name.lower(),
                "reason": pair.reason or None,
            }
            for pair in pairs(view, view.scope)
        ],
        "hardest": hardest,
        "mined": found.stats if found else None,
    }


def markdown(view: View, found: Mined | None = None) -> str:
    """Give the report as Markdown; a chart is the sentence that it proves."""
    return markdown_document(document(view, found))


def html(view: View, found: Mined | None = None) -> str:
    """Give the report as one HTML file."""
    return html_document(document(view, found))


def write_report(
    view: View,
    found: Mined | None = None,
    *,
    html: Path | None = None,
    markdown: Path | None = None,
    links: Links = (),
) -> None:
    """Write the report, with links to others, each file whole or not at all.

    Raises:
        StorageError: A place cannot be written.
    """
    shown = document(view, found, links)
    for path, give in ((html, html_document), (markdown, markdown_document)):
        if path is not None:
            write_text(path, give(shown))
