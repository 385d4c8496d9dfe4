"""Scoreboards and mined bundles as a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.bundles.commands.options import Json, app
from tellapart.cli.output import print_json, say, show

if TYPE_CHECKING:
    from tellapart.bundles.boards import Boards
    from tellapart.bundles.page.record import View


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
    from tellapart.audit.beside import audit_beside
    from tellapart.bundles.boards import load_boards
    from tellapart.bundles.outputs import check_outs
    from tellapart.bundles.page import output as pages
    from tellapart.bundles.page.mined import load_mined
    from tellapart.bundles.scoreboard import scores_path
    from tellapart.errors import UsageError

    if stats and not mined:
        raise UsageError("--stats needs the bundles of the same run: give --mined MINED.jsonl")
    check_outs([html, markdown], [*scoreboards, mined, stats])
    view = view_of(load_boards(scoreboards, allow_fingerprint_mismatch=allow_fingerprint_mismatch))
    mining = load_mined(mined, stats) if mined else None
    if as_json:
        print_json(pages.figures(view, mining))
    else:
        show(*pages.terminal(view, mining))
    links = audit_beside(html or markdown, [scores_path(path) for path in scoreboards])
    pages.write_report(view, mining, html=html, markdown=markdown, links=links)
    for path in filter(None, (html, markdown)):
        say(f"wrote {path}")


def view_of(boards: Boards) -> View:
    """Give scoreboards as the report takes them, compared where there are two or more."""
    from tellapart.bundles.compare import compare_boards
    from tellapart.bundles.page.record import Board, View

    several = len(boards.boards) > 1
    return View(
        tuple(
            Board(label, one.path, one.board.model_dump(mode="json"), one.scores, one.is_own_cut)
            for label, one in zip(boards.labels, boards.boards, strict=True)
        ),
        comparison=compare_boards(boards) if several else None,
        exploratory=boards.is_exploratory,
        moved=boards.moved,
        cautions=boards.boards[0].notes.cautions,
    )
