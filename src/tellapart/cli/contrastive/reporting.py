"""The figures of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.contrastive.options import Json
from tellapart.cli.output import print_json, say, show


def report(
    run: Annotated[Path, typer.Argument(help="A run directory.", show_default=False)],
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with charts and every item.")
    ] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write Markdown.")] = None,
    as_json: Json = False,
) -> None:
    """Show the figures of a run, and write them as a page or as Markdown."""
    from tellapart.cli.audit_link import audit_beside
    from tellapart.report import contrastive as pages
    from tellapart.store import RunDirectory, check_outs

    check_outs([html, markdown])
    directory = RunDirectory.open(run)
    view = pages.load(directory)
    if as_json:
        print_json(view.figures)
    else:
        show(*pages.terminal(view))
    links = audit_beside(html or markdown, [run])
    pages.write_report(directory, html=html, markdown=markdown, links=links)
    for path in filter(None, (html, markdown)):
        say(f"wrote {path}")
