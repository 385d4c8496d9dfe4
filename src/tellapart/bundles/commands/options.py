"""The group ``tellapart bundles``, the options that its commands share, and how each of them ends."""

from __future__ import annotations

from collections.abc import Callable
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

app = typer.Typer(help="Did fine-tuning lose hard cases? Danger, tiers, gates.", no_args_is_help=True)

EXISTING_SCOREBOARD = existing(
    "cannot read this scoreboard: there is no such file",
    next_step="Make one with 'tellapart bundles score EVAL --model NAME --out FILE.json'",
)


def argument(help_: str, metavar: str | None = None, check: Callable[[Any], Any] | None = None) -> Any:
    """Describe an argument, by default of files that must be there."""
    return typer.Argument(help=help_, metavar=metavar, show_default=False, callback=check or existing())


def option(flag: str, help_: str, **more: Any) -> Any:
    """Describe an option whose default the help does not show."""
    return typer.Option(flag, help=help_, show_default=False, **more)


def known_similarity(name: str | None) -> str | None:
    """See that there is such a similarity between vectors."""
    return None if name is None else require_similarity(name)


Eval = Annotated[Path, argument("Bundles as JSON Lines or Parquet.")]
EvalAddress = Annotated[
    str,
    argument(
        "Bundles as JSON Lines or Parquet: a file, a folder of files, or s3://BUCKET/FOLDER.",
        "EVAL",
        existing_here,
    ),
]
Scoreboards = Annotated[list[Path], argument("Files that 'bundles score' wrote.", check=EXISTING_SCOREBOARD)]
Model = Annotated[
    str | None,
    option("--model", "bm25, tfidf, lsa, minilm; st:PATH_OR_ID; openai:MODEL.", callback=known_models),
]
Embeddings = Annotated[
    Path | None,
    option(
        "--embeddings",
        "Vectors instead: a folder of 'tellapart embed', or an .npz with 'texts' and 'vectors'.",
        metavar="VECTORS",
    ),
]
SimilarityName = Annotated[
    str | None,
    option(
        "--similarity",
        "Compare vectors by cosine, dot, euclidean or manhattan; by default as the model says.",
        callback=known_similarity,
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=MOST_SEED, help="Seed with which the eval was drawn.")
]
Version = Annotated[str, option("--version", "Name of the version, such as v24.")]
By = Annotated[
    str | None,
    option("--by", "Figures and comparisons by a field of the metadata.", metavar="FIELD"),
]
Mismatch = Annotated[
    bool,
    typer.Option("--allow-fingerprint-mismatch", help="Take scoreboards of different evals; exploratory."),
]
Html = Annotated[Path | None, option("--html", "Write a page.", writable=True)]


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
