"""The report of a grading."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import print_json, say, show

Json = Annotated[bool, typer.Option("--json", help="Print the record of the grading as JSON.")]


def report(
    path: Annotated[
        Path, typer.Argument(help="A run directory of grade, or its grades.json.", show_default=False)
    ],
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with charts and every probe.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write the documented Markdown.")] = None,
    as_json: Json = False,
) -> None:
    """Show what a grading says and what it cannot say, and write it as a page or as Markdown."""
    from tellapart.report import longcontext as pages
    from tellapart.store import check_outs

    check_outs([html, out])
    view = pages.load(path)
    if as_json:
        print_json(pages.figures(view))
    else:
        show(*pages.terminal(view))
    pages.write_report(view, html=html, markdown=out)
    for written in filter(None, (html, out)):
        say(f"wrote {written}")
