"""Writers of summaries, ranked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.inputs import existing_run
from tellapart.cli.output import Json, Markdown, print_json, say, show
from tellapart.cli.progress import reporter
from tellapart.cli.settings import Parsed, with_settings
from tellapart.contrastive.commands.options import Exclude
from tellapart.contrastive.ranking.weights import parse_weights, write_weights

Weights = Annotated[
    Mapping[str, float] | None,
    typer.Option(
        "--weights",
        metavar="SOURCE=NUMBER,…",
        help="Weight of each source of evidence; one that is not named weighs nothing.",
        show_default="retrieval=.45,contrastive=.3,judge=.25",
    ),
    Parsed(parse_weights, write_weights),
]


@with_settings
def rank(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Runs over one benchmark: of 'run', 'retrieve' and 'judge'.",
            show_default=False,
            callback=existing_run,
        ),
    ],
    *,
    weights: Weights = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", help="Compare each other writer with this one.", show_default=False),
    ] = None,
    exclude: Exclude = None,
    html: Annotated[
        Path | None, typer.Option("--html", writable=True, help="Write a page with charts.")
    ] = None,
    markdown: Markdown = None,
    as_json: Json = False,
) -> None:
    """Rank the writers of summaries, with intervals and costs.

    Also writes the ranking as a page or as Markdown.
    """
    from tellapart.contrastive.ranking import run as ranking
    from tellapart.report.output import write

    ranked = ranking.rank(runs, weights=weights, baseline=baseline, exclude=exclude, progress=reporter())
    if as_json:
        print_json(ranked.to_dict())
    else:
        show(*ranked.shown())
    for path in write(ranked.document, html=html, markdown=markdown, progress=reporter(lines=False)):
        say(f"wrote {path}")
