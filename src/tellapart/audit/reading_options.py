"""The options of every command that reads anybody's scores, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tellapart.audit.reading import Choices, Source

Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="model=…,item=…,score=…",
        help="Columns of a plain table, OURS=THEIRS; also missing, replicate, cluster and strata. Dots "
        "select nested fields: score=scores.Factuality.",
    ),
]
Wide = Annotated[
    str | None,
    typer.Option(
        "--wide",
        metavar="item=…[,models=A+B]",
        help="A plain table has one column per model: which column names the items, and which are models.",
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
    typer.Option("--complete", help="Score judged queries that are not ranked as 0, like trec_eval -c."),
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
    bool, typer.Option("--replicates", help="Treat files with the same model and items as replicates.")
]
LowerIsBetter = Annotated[
    bool,
    typer.Option("--lower-is-better", help="Lower scores are better, as of errors; they are negated."),
]


def choices(
    columns: str | None,
    metric: str | None,
    qrels: Path | None,
    measure: str | None,
    *,
    complete: bool,
    wide: str | None = None,
) -> Choices:
    """Give what the options of reading choose where files leave a choice.

    Raises:
        UsageError: ``columns`` or ``wide`` is written in another way.
    """
    from tellapart.audit.reading import Choices, parse_columns, parse_wide

    return Choices(
        metric,
        None if columns is None else parse_columns(columns),
        qrels,
        measure,
        complete=complete or None,
        wide=None if wide is None else parse_wide(wide),
    )


def source_path(text: str) -> Path:
    """Take the path of an argument; an empty one, which would be the current folder, is refused."""
    if not text:
        raise typer.BadParameter("the path is empty; was a variable not set?")
    return Path(text)


def with_patterns(given: Sequence[Path]) -> list[Source]:
    """Look up the files that patterns name, where a shell did not: ``'logs/*.eval'`` in quotes.

    Args:
        given: Paths; one that is not there and holds ``*``, ``?`` or ``[`` is a pattern.

    Returns:
        The paths, with the files of a pattern together, in ascending order; a pattern that fits nothing
        stays, as a path that is not there.
    """
    from tellapart.audit.reading import Together

    sources: list[Source] = []
    for path in given:
        is_pattern = not path.exists() and any(sign in str(path) for sign in "*?[")
        matches = sorted(glob(str(path), recursive=True)) if is_pattern else []  # noqa: PTH207
        sources.append(Together(str(path), tuple(map(Path, matches))) if matches else path)
    return sources


def matching_paths(given: Sequence[Path]) -> list[Path]:
    """Give the paths with the files of patterns in their place; see `with_patterns`."""
    from tellapart.audit.reading import Together

    paths: list[Path] = []
    for source in with_patterns(given):
        several = source.parts if isinstance(source, Together) else (source,)
        paths += [part for part in several if isinstance(part, Path)]
    return paths
