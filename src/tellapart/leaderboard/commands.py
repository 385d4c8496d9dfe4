"""``tellapart leaderboard``: what a table of means by task separates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.audit.options import ResamplingSeed, Sesoi
from tellapart.audit.reading_settings import source_path
from tellapart.cli.output import Json, Markdown, print_json, say, show
from tellapart.cli.progress import reporter
from tellapart.core.comparison_settings import SESOI, ComparisonSettings
from tellapart.core.seed import SEED


def leaderboard(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Results of MTEB, or folders of these, as its cache has them.",
            show_default=False,
            parser=source_path,
        ),
    ],
    predictions: Annotated[
        list[Path] | None,
        typer.Option("--predictions", help="Predictions of MTEB, or a folder of these; repeat for several."),
    ] = None,
    mteb: Annotated[
        list[str] | None,
        typer.Option(
            "--mteb",
            metavar="MODULE",
            help="A module with tasks of your own, or MODULE:NAME of one; repeat for several.",
        ),
    ] = None,
    sesoi: Sesoi = SESOI,
    seed: ResamplingSeed = SEED,
    html: Annotated[Path | None, typer.Option("--html", writable=True, help="Write a page.")] = None,
    markdown: Markdown = None,
    as_json: Json = False,
) -> None:
    """Report which neighbours on a leaderboard of MTEB are separated.

    It takes the mean scores by task, and with predictions their items, and finds the fewest tasks that keep
    the order.
    """
    from tellapart.leaderboard import page
    from tellapart.leaderboard.analysis import audit_leaderboard
    from tellapart.leaderboard.reading import read_leaderboard
    from tellapart.report.output import write
    from tellapart.store import check_outs

    check_outs([html, markdown], [*results, *(predictions or ())])
    progress = reporter(lines=False)
    board = read_leaderboard(results, predictions or (), mteb or (), progress=progress)
    record = audit_leaderboard(board, ComparisonSettings(sesoi=sesoi), seed=seed)
    for note in record.notes:
        say(f"note: {note}")
    if as_json:
        print_json(record.model_dump(mode="json"))
    else:
        show(*page.terminal(record))
    for path in write(lambda: page.document(record), html=html, markdown=markdown, progress=progress):
        say(f"wrote {path}")
