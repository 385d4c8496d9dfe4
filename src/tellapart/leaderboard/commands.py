"""``tellapart leaderboard``: what a table of means by task separates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.audit.options import Sesoi
from tellapart.cli.output import Json, Markdown, print_json, say, show
from tellapart.cli.progress import reporter
from tellapart.core.comparison_settings import SESOI, ComparisonSettings
from tellapart.readers.settings import source_path


def leaderboard(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Results of MTEB, or folders of these, as its cache has them.",
            show_default=False,
            parser=source_path,
        ),
    ],
    sesoi: Sesoi = SESOI,
    html: Annotated[Path | None, typer.Option("--html", writable=True, help="Write a page.")] = None,
    markdown: Markdown = None,
    as_json: Json = False,
) -> None:
    """Report which neighbours on a leaderboard of MTEB are separated.

    It takes the mean scores by task, and finds the fewest tasks that keep the order.
    """
    from tellapart.leaderboard import page
    from tellapart.leaderboard.analysis import audit_leaderboard
    from tellapart.leaderboard.reading import read_leaderboard
    from tellapart.report.output import write
    from tellapart.store import check_outs

    check_outs([html, markdown], results)
    progress = reporter(lines=False)
    board = read_leaderboard(results, progress=progress)
    record = audit_leaderboard(board, ComparisonSettings(sesoi=sesoi))
    for note in record.notes:
        say(f"note: {note}")
    if as_json:
        print_json(record.model_dump(mode="json"))
    else:
        show(*page.terminal(record))
    for path in write(lambda: page.document(record), html=html, markdown=markdown, progress=progress):
        say(f"wrote {path}")
