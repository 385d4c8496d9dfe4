"""Options that several commands of ``tellapart contrastive`` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.audit.options import PRIMARY
from tellapart.cli.inputs import existing, known_models
from tellapart.cli.llm_options import QUESTION_PANEL

Repositories = Annotated[
    list[Path],
    typer.Argument(
        help="Directories with source code.",
        show_default=False,
        callback=existing("there is no such directory", next_step="Name the root directory of a repository"),
    ),
]
Bench = Annotated[
    Path,
    typer.Argument(
        help="A benchmark made by 'build'.",
        show_default=False,
        callback=existing(
            "there is no benchmark here: benchmark.json is missing",
            next_step="Make one with 'tellapart contrastive build REPO --out BENCH'",
            within="benchmark.json",
        ),
    ),
]
MODEL = typer.Option(
    "--model",
    help="bm25, tfidf, lsa, minilm; st:PATH_OR_ID; openai:MODEL. Repeat for several.",
    callback=known_models,
)
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", file_okay=False, writable=True, help="Run directory; by default named after the settings."
    ),
]
DryJson = Annotated[bool, typer.Option("--json", help="Print a dry run as JSON.")]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", help="URL of an OpenAI-compatible server of embedding models.")
]
Reuse = Annotated[
    Path | None,
    typer.Option(
        "--reuse",
        help="Reuse the answers of an earlier run or benchmark; ask only the rest.",
        rich_help_panel=QUESTION_PANEL,
    ),
]
Primary = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--primary",
        metavar="COLUMN=VALUE",
        help="Restrict the verdict to these items, such as language=python; by default to the pool, for "
        "language models to the ladder.",
        show_default=False,
    ),
    PRIMARY,
]
Exclude = Annotated[
    Path | None,
    typer.Option(
        "--exclude",
        help="Leave these items out: ids, one a line. Makes no headline.",
        metavar="FILE",
        show_default=False,
    ),
]
