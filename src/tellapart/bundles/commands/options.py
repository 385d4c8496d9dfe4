"""The group ``tellapart bundles``, the options that its commands share, and how each of them ends."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.inputs import existing, existing_here, known_models
from tellapart.cli.output import print_json, say, show
from tellapart.core.figure_units import require_similarity
from tellapart.core.seed import MOST_SEED

if TYPE_CHECKING:
    from tellapart.core.record import Record
    from tellapart.report.document import Document


class Target(StrEnum):
    """The forms that ``convert`` writes: the keys of ``convert.TARGETS``, which a help does not load."""

    JSONL = "jsonl"
    TRIPLETS = "triplets"
    TRIPLET = "triplet"
    RERANKING = "reranking"


app = typer.Typer(help="Did fine-tuning lose hard cases? Danger, tiers, gates.", no_args_is_help=True)

EXISTING_SCOREBOARD = existing(
    "cannot read this scoreboard: No such file or directory",
    next_step="Make one with 'tellapart bundles score EVAL --model NAME --out FILE.json'",
)


def known_similarity(name: str | None) -> str | None:
    """See that there is such a similarity between vectors."""
    return None if name is None else require_similarity(name)


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
Scoreboards = Annotated[
    list[Path],
    typer.Argument(
        help="Files that 'bundles score' wrote.", show_default=False, callback=EXISTING_SCOREBOARD
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="bm25, tfidf, lsa, minilm; st:PATH_OR_ID; openai:MODEL.",
        show_default=False,
        callback=known_models,
    ),
]
Embeddings = Annotated[
    Path | None,
    typer.Option(
        "--embeddings",
        metavar="VECTORS",
        help="Vectors instead: a folder of 'tellapart embed', or an .npz with 'texts' and 'vectors'.",
        show_default=False,
    ),
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
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=MOST_SEED, help="Seed with which the eval was drawn.")
]
Version = Annotated[
    str, typer.Option("--version", help="Name of the version, such as v24.", show_default=False)
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="FIELD",
        help="Figures and comparisons by a field of the metadata, or by tier.",
        show_default=False,
    ),
]
Mismatch = Annotated[
    bool,
    typer.Option("--allow-fingerprint-mismatch", help="Take scoreboards of different evals; exploratory."),
]
Html = Annotated[Path | None, typer.Option("--html", writable=True, help="Write a page.", show_default=False)]


def finish(
    document: Document,
    record: Record | list[Any] | dict[str, Any],
    *,
    as_json: bool,
    html: Path | None = None,
    markdown: Path | None = None,
) -> None:
    """End a command: print its JSON, or else what people read, and write the files that are wanted."""
    from tellapart.core.record import Record
    from tellapart.report.output import write
    from tellapart.report.terminal import terminal

    if as_json:
        print_json(record.model_dump(mode="json") if isinstance(record, Record) else record)
    else:
        show(*terminal(document))
    for path in write(lambda: document, html=html, markdown=markdown):
        say(f"wrote {path}")
