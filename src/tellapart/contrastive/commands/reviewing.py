"""Suspects of label noise: options beside the target that its summary describes as well."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.inputs import existing
from tellapart.cli.output import Json, print_json, say, show

Reviewed = Annotated[
    Path,
    typer.Argument(
        metavar="RUN_OR_BENCH",
        help="A run, or a benchmark made by 'build'.",
        show_default=False,
        callback=existing(
            "there is no run and no benchmark here",
            next_step="Make one with 'tellapart contrastive build REPO --out BENCH'",
        ),
    ),
]


def review(
    reviewed: Reviewed,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Suspects to list; all by default.", metavar="N")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", writable=True, help="Write a page on which suspects are marked.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List distractors that may be second right answers.

    Most likely noise comes first.
    """
    from tellapart.contrastive import page as pages
    from tellapart.contrastive.run import review as find
    from tellapart.report.output import write

    found = find(reviewed, limit=limit)
    if as_json:
        print_json(found.to_json())
    else:
        show(*pages.review_listing(found))
    for path in write(lambda: pages.review_document(found), html=html):
        say(f"wrote {path}")
