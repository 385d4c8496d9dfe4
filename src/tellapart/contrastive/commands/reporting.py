"""The figures of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import print_json, say, show
from tellapart.contrastive.commands.options import Json, Primary


def report(
    run: Annotated[Path, typer.Argument(help="A run directory.", show_default=False)],
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with charts and every item.")
    ] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write Markdown.")] = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", help="Compare each other model with this one.", show_default=False),
    ] = None,
    primary: Primary = None,
    as_json: Json = False,
) -> None:
    """Show the figures of a run, and write them as a page or as Markdown."""
    from tellapart.audit.beside import audit_beside
    from tellapart.audit.options import AuditOptions
    from tellapart.contrastive import page as pages
    from tellapart.contrastive.cautions import cautions
    from tellapart.core.comparison import ComparisonSettings, parse_primary
    from tellapart.store import RunDirectory, check_outs

    check_outs([html, markdown])
    part = None if primary is None else parse_primary(primary)
    settings = ComparisonSettings(by="difficulty", baseline=baseline, primary=part)
    view = pages.load(RunDirectory.open(run), settings)
    # Those of today are kept with the scores; an earlier version kept none.
    view = replace(view, cautions=cautions(view.figures, view.comparison, view.items))
    if as_json:
        print_json(pages.json_figures(view))
    else:
        show(*pages.terminal(view))
    links = audit_beside(html or markdown, [run], AuditOptions(baseline=baseline, primary=part))
    pages.write_report(view, html=html, markdown=markdown, links=links)
    for path in filter(None, (html, markdown)):
        say(f"wrote {path}")
