"""Converting: evals in the formats of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.bundles.commands.options import BaseUrl, Embeddings, Json, Model, SkipInvalid, app
from tellapart.cli.output import print_json, say


@app.command()
def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            help="JSON Lines or Parquet in any form; a directory with TREC files.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="To .jsonl or .parquet; a directory with --to trec.", show_default=False
        ),
    ],
    to: Annotated[
        str, typer.Option("--to", help="jsonl, triplets, triplet (a row a negative), reranking or trec.")
    ] = "jsonl",
    model: Model = None,
    embeddings: Embeddings = None,
    skip_invalid: SkipInvalid = False,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Convert bundles; with --to trec, --model or --embeddings give the scores of a run."""
    from tellapart.bundles.convert import Scorer
    from tellapart.bundles.convert import convert as run

    done = run(source, out, to, scorer=Scorer(model, embeddings, base_url), skip_invalid=skip_invalid)
    for cause, count in sorted(done.dropped.items()):
        say(f"dropped: {count} {cause}")
    for what, count in done.left_out.items():
        say(f"left out, since --to {to} cannot hold it: {what} of {count} bundle(s)")
    say(f"wrote {done.bundles} bundle(s) to {', '.join(map(str, done.files))}")
    if as_json:
        print_json(
            {
                "bundles": done.bundles,
                "left_out": done.left_out,
                "dropped": done.dropped,
                "files": [str(path) for path in done.files],
            }
        )
