"""Pools of bundles: split."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.bundles.commands.options import Eval, SkipInvalid, app
from tellapart.cli.output import Json, print_json, say, show
from tellapart.cli.progress import reporter
from tellapart.core.seed import MOST_SEED, SEED

if TYPE_CHECKING:
    from tellapart.bundles.pool import SplitBy

pool = typer.Typer(help="Split pools of bundles without leaks.", no_args_is_help=True)
app.add_typer(pool, name="pool")


def _split_by(text: str) -> SplitBy:
    from tellapart.bundles.pool import SplitBy
    from tellapart.errors import UsageError, near_match

    try:
        return SplitBy(text)
    except ValueError:
        names = [choice.value for choice in SplitBy]
        raise UsageError(
            f"--by is {text!r}, expected {' or '.join(names)}", next_step=near_match(text, names)
        ) from None


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
    by: Annotated[
        str,
        typer.Option(
            "--by", help="What the parts do not share: anchor, or text (anchors and positives alike)."
        ),
    ] = "anchor",
    skip_invalid: SkipInvalid = False,
    as_json: Json = False,
) -> None:
    """Split a pool by its anchors, so that nothing leaks.

    Bundles with the same anchor, or nearly the same, stay together.
    """
    from tellapart.bundles.page import pools as pages
    from tellapart.bundles.pool import split_pool

    result = split_pool(
        source,
        *out,
        share=share,
        seed=seed,
        by=_split_by(by),
        skip_invalid=skip_invalid,
        progress=reporter(),
    )
    if as_json:
        print_json(result.model_dump(mode="json"))
    else:
        show(*pages.split(result))
    for path in out:
        say(f"wrote {path}")
