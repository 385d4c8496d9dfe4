"""``tellapart leaderboard``: what a table of scores by model and task separates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import Json, Markdown, print_json, say, show
from tellapart.cli.progress import reporter
from tellapart.readers.settings import parse_columns, source_path


def leaderboard(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Results of MTEB, Every Eval Ever, HELM or SWE-bench, folders of these, or tables of model "
            "by task.",
            show_default=False,
            parser=source_path,
        ),
    ],
    benchmark: Annotated[
        str | None,
        typer.Option("--benchmark", help="Keep the tasks of this benchmark of MTEB.", metavar="NAME"),
    ] = None,
    tasks: Annotated[
        list[str] | None, typer.Option("--tasks", help="Keep these tasks.", metavar="A,B")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns", help="Column of a table that names models, or tasks.", metavar="model=NAME"
        ),
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", writable=True, help="Write a page.")] = None,
    markdown: Markdown = None,
    as_json: Json = False,
) -> None:
    """Report which neighbours on a leaderboard are separated, with rank intervals and tie groups."""
    from tellapart.leaderboard import page
    from tellapart.leaderboard.analysis import audit_leaderboard
    from tellapart.leaderboard.reading import read_leaderboard
    from tellapart.report.output import write
    from tellapart.report.terminal import terminal
    from tellapart.store import check_outs

    check_outs([html, markdown], results)
    progress = reporter(lines=False)
    board = read_leaderboard(
        results,
        tasks=[name.strip() for text in tasks or () for name in text.split(",")],
        benchmark=benchmark,
        columns=parse_columns(columns) if columns else None,
        progress=progress,
    )
    audit = audit_leaderboard(board, progress=progress)
    if as_json:
        for note in audit.notes:
            say(f"note: {note}")
        print_json(audit.model_dump(mode="json"))
    else:
        show(*terminal(page.document(audit)))
    for path in write(lambda: page.document(audit), html=html, markdown=markdown, progress=progress):
        say(f"wrote {path}")
