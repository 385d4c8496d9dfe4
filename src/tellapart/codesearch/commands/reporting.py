"""The report of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tellapart.audit.beside import audit_beside
from tellapart.cli.output import print_json, say, show
from tellapart.errors import UsageError

Json = Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")]


def report(
    path: Annotated[
        Path,
        typer.Argument(
            help="An evaluation.json, a run directory of evaluate, or the directory of a loop.",
            show_default=False,
        ),
    ],
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with charts and every conversation.")
    ] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write Markdown.")] = None,
    as_json: Json = False,
) -> None:
    """Show what an evaluation says and what it cannot say, and write it as a page or as Markdown."""
    from tellapart.codesearch import page as pages
    from tellapart.store import check_outs

    check_outs([html, markdown])
    view = pages.load(path)
    if as_json:
        print_json(pages.figures(view))
    else:
        show(*pages.terminal(view))
    links = _audit(html or markdown, view.runs_of_loop)
    pages.write_report(view, html=html, markdown=markdown, links=links)
    for written in filter(None, (html, markdown)):
        say(f"wrote {written}")


def _audit(report: Path | None, runs: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """Audit the iterations of a loop beside its report; one system by itself has nothing to be told from."""
    if len(runs) < 2:
        return ()
    try:
        return audit_beside(report, runs)
    except UsageError as error:
        # Iterations without verdicts are scored by another measure than those with some.
        say(f"no audit: {error}")
        return ()
