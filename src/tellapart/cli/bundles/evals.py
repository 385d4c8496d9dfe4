"""Eval files: scored, cut into tiers, frozen, extended, converted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.bundles.options import BaseUrl, Embeddings, Eval, Json, Model, Seed, SkipInvalid, app
from tellapart.cli.output import print_json, say


@app.command()
def score(
    eval_path: Eval,
    out: Annotated[Path, typer.Option("--out", help="The scoreboard.")] = Path("scoreboard.json"),
    model: Model = None,
    embeddings: Embeddings = None,
    name: Annotated[str | None, typer.Option("--name", help="What tables call the model.")] = None,
    checkpoint: Annotated[str, typer.Option("--checkpoint", help="Where its weights came from.")] = "",
    seed: Seed = 42,
    skip_invalid: SkipInvalid = False,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Score an eval with a model and write a scoreboard."""
    from tellapart.bundles import run as suite

    board = suite.score(
        eval_path,
        out,
        model=model,
        embeddings=embeddings,
        name=name,
        checkpoint=checkpoint,
        seed=seed,
        skip_invalid=skip_invalid,
        base_url=base_url,
        progress=say,
    )
    if as_json:
        print_json(board.model_dump())
    say(f"wrote {out}")
