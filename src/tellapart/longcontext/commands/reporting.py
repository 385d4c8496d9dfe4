"""The report of a grading."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.audit.beside import audit_beside
from tellapart.cli.output import print_json, say, show

if TYPE_CHECKING:
    from tellapart.longcontext.page import View

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
    from tellapart.longcontext import page as pages
    from tellapart.store import check_outs

    check_outs([html, out])
    view = load_compared(path)
    if as_json:
        print_json(pages.figures(view))
    else:
        show(*pages.terminal(view))
    write_pages(view, path, html, out)


def load_compared(path: Path) -> View:
    """Read what ``grade`` left on the disk, and compare the models on the scores that lie beside it."""
    from tellapart.longcontext import page as pages
    from tellapart.longcontext.comparing import comparison_of
    from tellapart.store import RunDirectory

    view = pages.load(path)
    if view.run is None:
        return view
    return replace(view, comparison=comparison_of(RunDirectory.open(path).scores(), view.record))


def write_pages(view: View, path: Path, html: Path | None, out: Path | None) -> None:
    """Write the page, with the audit of several models beside it, and the Markdown; say where they are."""
    from tellapart.longcontext import page as pages

    links = () if view.comparison is None else audit_beside(html, [path / "scores.parquet"])
    pages.write_report(view, html=html, markdown=out, links=links)
    for written in filter(None, (html, out)):
        say(f"wrote {written}")
