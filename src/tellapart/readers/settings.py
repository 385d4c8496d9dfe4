"""How anybody's scores are read: the options of ``audit``, ``compare`` and ``view``, the same in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.settings import Parsed
from tellapart.errors import UsageError, option


def parse_columns(text: str) -> dict[str, str]:
    """Read ``--columns``."""
    named: dict[str, str] = {}
    for part in text.split(","):
        role, _, column = (piece.strip() for piece in part.partition("="))
        if not role or ("=" in part and not column):
            raise UsageError(
                f"--columns has {part!r}, expected OURS=THEIRS between commas, such as "
                "model=name,item=id,score=acc"
            )
        if role in named:
            raise UsageError(f"--columns names {role!r} twice: {named[role]!r} and {column or role!r}")
        named[role] = column or role
    return named


def parse_limits(text: str) -> tuple[float, float]:
    """Read ``--limits``."""
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise UsageError(
            f"--limits is {text!r}, expected LOW,HIGH with LOW below HIGH, such as 0,100 or -inf,inf"
        ) from None
    return low, high


def parse_missing(text: str) -> str:
    """Read ``--missing``."""
    try:
        return text if text == "none" else f"{float(text):g}"
    except ValueError:
        raise UsageError(f"--missing is {text!r}, expected a number, or none") from None


def parse_models(text: str) -> tuple[str, ...]:
    """Read ``--models``; a name that has a comma is put together again by who knows the names."""
    return tuple(part.strip() for part in text.split(","))


Columns = Annotated[
    Mapping[str, str] | None,
    typer.Option(
        "--columns",
        metavar="model=…,item=…,score=…",
        help="Columns of a table, OURS=THEIRS; also missing, replicate, cluster and strata. Dots select "
        "nested fields: score=scores.Factuality.",
    ),
    Parsed(parse_columns, lambda columns: ",".join(f"{role}={column}" for role, column in columns.items())),
]
Models = Annotated[
    tuple[str, ...],
    typer.Option(
        "--models", metavar="A,B", help="A table has one column per model: the columns that are models."
    ),
    Parsed(parse_models, ",".join),
]
Limits = Annotated[
    tuple[float, float] | None,
    typer.Option("--limits", metavar="LOW,HIGH", help="Lowest and highest possible score; 0,1 by default."),
    Parsed(parse_limits, lambda limits: f"{limits[0]:g},{limits[1]:g}"),
]
Metric = Annotated[
    str | None,
    typer.Option("--metric", "--measure", help="Scorer, metric or measure to read, where there are several."),
]
Qrels = Annotated[
    Path | None,
    typer.Option("--qrels", metavar="FILE", help="Judgments of rankings, as TREC or BEIR has them."),
]
Human = Annotated[
    Path | None,
    typer.Option(
        "--human", metavar="FILE", help="Labels by people of some answers, which correct every verdict."
    ),
]


@dataclass(frozen=True)
class ReadingSettings:
    """How scores are read; what is not given each form's reader chooses, with a note.

    Attributes:
        columns: Of a table: column of ours -> column of the file.
        models: Of a table with one column per model: the columns that are models.
        right: Of a table whose scores are two words that say nothing by themselves: the one for 1.
        missing: The number that stands for no score, or ``none``, where every number is a score.
        metric: Which scorer, metric or measure to read, such as ``nDCG@10`` of rankings.
        qrels: The judgments of rankings, as TREC or BEIR has them.
        trec_eval: Whether rankings are scored as by ``trec_eval -c``: a judged query that is not ranked
            scores 0, and documents with equal scores are in its order, the greatest name first. Else such a
            query is missing, and others score the mean over the orders of documents with equal scores.
        model: Model names, for files that do not contain one: one name, or one per path.
        limits: Lowest and highest possible score in the files; None for what they record, else [0, 1].
        replicates: Whether files that hold the same model on the same items repeat each other; where the
            paths are the sides of a comparison, those of one path.
        lower_is_better: Whether less is better, as of errors: scores and limits are then negated. None where
            nobody said: scores with a name such as ``wer`` or ``latency`` are refused.
        human: People's labels of some answers, see `tellapart.readers.labels`; they correct every verdict.
        strict: Whether files whose logs were made with another judge, prompt, grader, data set or version of
            the harness are refused, and not compared with that caution.
    """

    columns: Columns = None
    models: Models = ()
    right: Annotated[
        str | None,
        typer.Option("--right", metavar="VALUE", help="In a table with two words as scores: the right one."),
    ] = None
    missing: Annotated[
        str | None,
        typer.Option("--missing", metavar="NUMBER", help="Number that means no score, such as -1, or none."),
        Parsed(parse_missing),
    ] = None
    metric: Metric = None
    qrels: Qrels = None
    trec_eval: Annotated[
        bool,
        typer.Option(
            "--trec-eval", help="Score rankings as trec_eval -c: its order of ties, 0 for unranked queries."
        ),
    ] = False
    model: Annotated[
        tuple[str, ...],
        typer.Option("--model", help="Model name for files without one; give it once, or once per file."),
    ] = ()
    limits: Limits = None
    replicates: Annotated[
        bool, typer.Option("--replicates", help="Treat files with the same model and items as replicates.")
    ] = False
    lower_is_better: Annotated[
        bool | None,
        typer.Option(
            "--lower-is-better/--higher-is-better",
            help="Whether lower scores are better, as of errors; asked where their name says so.",
            show_default=False,
        ),
    ] = None
    human: Human = None
    strict: bool = False

    def __post_init__(self) -> None:
        """Check the limits."""
        if self.limits is not None and not self.limits[0] < self.limits[1]:
            raise UsageError(
                f"{option('limits', self.limits)}: expected the lowest and then the highest score"
            )

    @property
    def name(self) -> str | None:
        """What a file's model is called, if the file does not say."""
        return self.model[0] if self.model else None

    @property
    def are_of_a_table(self) -> bool:
        """Whether a file is a table because its columns are named."""
        return self.columns is not None or bool(self.models)

    def of_paths(self, paths: Sequence[object]) -> list[ReadingSettings]:
        """What holds for each path: the same but for the model's name."""
        if len(self.model) < 2:
            return [self] * len(paths)
        if len(self.model) != len(paths):
            raise UsageError(
                f"--model is given {len(self.model)} times; give it once, or once per file ({len(paths)})"
            )
        return [replace(self, model=(name,)) for name in self.model]


def source_path(text: str) -> Path:
    """Take the path of an argument; an empty one, which would be the current folder, is refused."""
    if not text:
        raise typer.BadParameter("the path is empty; was a variable not set?")
    return Path(text)
