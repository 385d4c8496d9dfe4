"""Graded conversations in a terminal, as the documented Markdown and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tellapart.core.comparison import to_json
from tellapart.files import write_text
from tellapart.longcontext.lint.findings import counts
from tellapart.longcontext.page import lengths, scores, tables, warnings
from tellapart.longcontext.page.documented import documented_report
from tellapart.longcontext.page.sections import document
from tellapart.longcontext.page.verdict import headline, sentences
from tellapart.longcontext.page.view import View
from tellapart.report import comparison as block
from tellapart.report.document import Links, present
from tellapart.report.output import write
from tellapart.report.terminal import fitted_table, rich_list

MOST_COLUMNS = 3
"""Columns of the heatmap in a terminal."""


def terminal(view: View) -> list[RenderableType]:
    """Show which models differ, the effective length, findings, the summary, means and failure modes."""
    grave, groups = warnings.grave(view), tables.most_asked(view)
    verdict = (
        [Text(headline(view), style="bold")]
        if view.comparison is None
        else block.terminal(view.comparison, order=view.lengths)
    )
    shown = [
        *([lengths.lengths(view)] if lengths.has_curves(view) else []),
        *([warnings.findings_table(grave)] if grave else []),
        *([] if view.many_cases else [scores.with_simple_signs(tables.summary(view))]),
        warnings.means(view),
        *([tables.dilution(view, groups)] if groups else []),
        tables.mode_scores(view),
        scores.with_simple_signs(tables.heatmap(view, MOST_COLUMNS)),
        *present(warnings.conflicts(view)),
    ]
    return [*verdict, rich_list(sentences(view)), *map(fitted_table, shown)]


def figures(view: View) -> dict[str, Any]:
    """Everything that is reported, for programs: the verdict in words, the comparison, and the record.

    ``finding_counts`` are those of the page: what says the same of several steps is one there, while
    ``findings`` has one for each step.
    ``comparison`` is there where there are two models and their scores; see ``core.comparison.to_json``.
    """
    compared = {} if view.comparison is None else {"comparison": to_json(view.comparison)}
    return {
        "headline": headline(view),
        "sentences": sentences(view),
        "finding_counts": counts(view.record.findings),
        **compared,
        **view.record.model_dump(),
    }


def write_report(
    view: View, html: Path | None = None, markdown: Path | None = None, *, links: Links = ()
) -> list[Path]:
    """Write the report of a grading, each file whole or not at all."""
    written = write(lambda: document(view, links), html=html)
    if markdown is None:
        return written
    write_text(markdown, documented_report(view.record, comparison=view.comparison))
    return [*written, markdown]
