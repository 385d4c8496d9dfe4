"""Pools of bundles: split."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.bundles.commands.options import Eval, SkipInvalid, app
from tellapart.cli.output import Json, print_json, say, show
from tellapart.cli.progress import reporter
from tellapart.core.seed import MOST_SEED, SEED

pool = typer.Typer(help="Split pools of bundles without leaks.", no_args_is_help=True)
app.add_typer(pool, name="pool")


@pool.command()
def split(
    source: Eval,
    out: Annotated[
        tuple[Path, Path],
        typer.Option(
            "--out",
            writable=True,
            help="The two parts, JSON Lines.",
            metavar="TRAIN HOLDOUT",
            show_default=False,
        ),
    ],
    share: Annotated[float, typer.Option("--share", help="Share of TRAIN, on average.")] = 0.8,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=MOST_SEED, help="Another one gives other parts.")
    ] = SEED,
    skip_invalid: SkipInvalid = False,
    as_json: Json = False,
) -> None:
    """Split a pool by its anchors, so that nothing leaks.

    Bundles with the same anchor, or nearly the same, stay together.
    """
    from tellapart.bundles.page import terminal as pages
    from tellapart.bundles.pool import split_pool

    result = split_pool(
        source,
        *out,
        share=share,
        seed=seed,
        skip_invalid=skip_invalid,
        progress=reporter(),
    )
    if as_json:
        print_json(result.model_dump(mode="json"))
    else:
        show(*pages.split(result))
    for path in out:
        say(f"wrote {path}")
