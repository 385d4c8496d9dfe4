"""The group ``tellapart bundles`` and the options that its commands share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.inputs import existing, existing_here, known_models
from tellapart.core.figure_units import require_similarity
from tellapart.core.seed import MOST_SEED


def known_similarity(name: str | None) -> str | None:
    """See that there is such a similarity between vectors."""
    return None if name is None else require_similarity(name)


app = typer.Typer(help="Did fine-tuning lose hard cases? Danger, tiers, gates.", no_args_is_help=True)

EXISTING_SCOREBOARD = existing(
    "cannot read this scoreboard: No such file or directory",
    next_step="Make one with 'tellapart bundles score EVAL --model NAME --out FILE.json'",
)

_NAMED = re.compile(r"([\w.-]+)=(.+)")


def eval_files(typed: list[str]) -> list[tuple[str, Path]]:
    """Read files that may be typed as ``EVAL=FILE``; an existing file is taken by its whole name."""
    files = []
    for text in typed:
        named = None if Path(text).exists() else _NAMED.fullmatch(text)
        files.append((named[1], Path(named[2])) if named else ("", Path(text)))
    existing()([path for _, path in files])
    return files


Eval = Annotated[
    Path, typer.Argument(help="Bundles as JSON Lines or Parquet.", show_default=False, callback=existing())
]
EvalAddress = Annotated[
    str,
    typer.Argument(
        metavar="EVAL",
        help="Bundles as JSON Lines or Parquet: a file, a folder of files, or s3://BUCKET/FOLDER.",
        show_default=False,
        callback=existing_here,
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="bm25, tfidf, lsa, minilm; st: or ce:PATH_OR_ID; openai:MODEL.",
        show_default=False,
        callback=known_models,
    ),
]
Embeddings = Annotated[
    Path | None,
    typer.Option("--embeddings", help="An .npz with 'texts' and 'vectors' instead.", show_default=False),
]
SimilarityName = Annotated[
    str | None,
    typer.Option(
        "--similarity",
        help="Compare vectors by cosine, dot, euclidean or manhattan; by default as the model says.",
        show_default=False,
        callback=known_similarity,
    ),
]
SkipInvalid = Annotated[bool, typer.Option("--skip-invalid", help="Drop bad rows and count them by cause.")]
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=MOST_SEED, help="Seed with which the eval was drawn.")
]
Version = Annotated[
    str, typer.Option("--version", help="Name of the version, such as v24.", show_default=False)
]
BaseUrl = Annotated[str | None, typer.Option("--base-url", help="Of an OpenAI-compatible server.")]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="FIELD",
        help="Figures and comparisons by a field of the metadata, by tier, or by negative_kind.",
        show_default=False,
    ),
]
