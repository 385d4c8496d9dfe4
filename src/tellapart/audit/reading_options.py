"""The options of every command that reads anybody's scores, and what they come to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tellapart.audit.reading import Choices

Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="model=…,item=…,score=…",
        help="Columns of a plain table: OURS=THEIRS; also missing, replicate, cluster, strata.",
    ),
]
Metric = Annotated[
    str | None, typer.Option("--metric", help="Scorer or metric to read, where a log has several.")
]
Qrels = Annotated[
    Path | None, typer.Option("--qrels", help="Judgments of rankings, as TREC or BEIR has them.")
]
Complete = Annotated[
    bool,
    typer.Option("--complete", help="A judged query that is not ranked scores 0, as trec_eval -c."),
]
Measure = Annotated[
    str | None,
    typer.Option("--measure", help="Measure of rankings by query, such as nDCG@10, or of codesearch runs."),
]
Model = Annotated[
    list[str] | None,
    typer.Option(
        "--model", help="Model name for files that do not contain one; give it once, or once per file."
    ),
]
Limits = Annotated[
    str | None,
    typer.Option("--limits", metavar="LOW,HIGH", help="Lowest and highest possible score; 0,1 by default."),
]
Replicates = Annotated[
    bool, typer.Option("--replicates", help="Files with the same model and items repeat each other.")
]


def choices(
    columns: str | None, metric: str | None, qrels: Path | None, measure: str | None, *, complete: bool
) -> Choices:
    """Give what the options of reading choose where files leave a choice.

    Raises:
        UsageError: ``columns`` is written in another way.
    """
    from tellapart.audit.reading import Choices, parse_columns

    named = None if columns is None else parse_columns(columns)
    return Choices(metric, named, qrels, measure, complete=complete or None)
