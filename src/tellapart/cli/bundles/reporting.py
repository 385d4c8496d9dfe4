"""Scoreboards and mined bundles as a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.bundles.options import Json, app
from tellapart.cli.output import print_json, say, show


@app.command()
def report(
    scoreboards: Annotated[
        list[Path], typer.Argument(help="Scoreboards of one eval, a model each.", show_default=False)
    ],
    mined: Annotated[Path | None, typer.Option("--mined", help="Bundles written by 'mine'.")] = None,
    stats: Annotated[Path | None, typer.Option("--stats", help="The figures of that mining run.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with charts.")] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write Markdown.")] = None,
    allow_fingerprint_mismatch: Annotated[
        bool,
        typer.Option("--allow-fingerprint-mismatch", help="Show different evals; marked exploratory."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show scoreboards over each other, and write them as a page or as Markdown."""
    from tellapart.bundles.outputs import check_outs
    from tellapart.bundles.scoreboard import scores_path
    from tellapart.cli.audit_link import audit_beside
    from tellapart.errors import UsageError
    from tellapart.report.bundles import output as pages
    from tellapart.report.bundles.mined import load_mined
    from tellapart.report.bundles.record import load

    if stats and not mined:
        raise UsageError("--stats needs the bundles of the same run: give --mined MINED.jsonl")
    check_outs([html, markdown], [*scoreboards, mined, stats])
    view = load(scoreboards, allow_fingerprint_mismatch=allow_fingerprint_mismatch)
    found = load_mined(mined, stats) if mined else None
    if as_json:
        print_json(pages.figures(view, found))
    else:
        show(*pages.terminal(view, found))
    links = audit_beside(html or markdown, [scores_path(path) for path in scoreboards])
    pages.write_report(view, found, html=html, markdown=markdown, links=links)
    for path in filter(None, (html, markdown)):
        say(f"wrote {path}")
