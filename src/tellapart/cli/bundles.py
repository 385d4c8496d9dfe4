"""``tellapart bundles``: anchors, positives and negatives; danger, tiers, scoreboards, mining."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import print_json, say

app = typer.Typer(
    help="Anchor, positive and negatives: danger, tiers, scoreboards, mining.", no_args_is_help=True
)

Eval = Annotated[Path, typer.Argument(help="Bundles as JSON Lines or Parquet.", show_default=False)]
Model = Annotated[
    str | None,
    typer.Option(
        "--model", help="bm25, tfidf, lsa, minilm, st:PATH_OR_ID or openai:MODEL.", show_default=False
    ),
]
Embeddings = Annotated[
    Path | None,
    typer.Option("--embeddings", help="An .npz with 'texts' and 'vectors' instead.", show_default=False),
]
SkipInvalid = Annotated[bool, typer.Option("--skip-invalid", help="Drop bad rows and count them by cause.")]
Seed = Annotated[int, typer.Option("--seed", help="That the eval was drawn with.")]
BaseUrl = Annotated[str | None, typer.Option("--base-url", help="Of an OpenAI-compatible server.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


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
