"""Anybody's table: which of its columns are ours."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tellapart.audit.reading.reader import Choices, LogScores
from tellapart.audit.reading.table_files import Kind, kind_of, read_table
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import FIXED
from tellapart.errors import InputError, UsageError, near_match
from tellapart.store import read_notes

NAME = "table"

TAKES = ("columns", "model")

_DELIMITED = (Kind.COMMAS, Kind.TABS, Kind.SEMICOLONS)

_NEEDED = ("model", "item", "score")

_LIKELY = {
    "model": ("model", "model_name", "model_id", "system", "method", "run", "run_id", "name"),
    "item": ("item", "item_id", "id", "question_id", "query_id", "qid", "sample_id", "task_id", "doc_id"),
    "score": ("score", "value", "accuracy", "acc", "correct", "is_correct", "exact_match", "em", "f1"),
}
"""What others call our columns, the likeliest first; only for the example in an error."""


def parse_columns(text: str) -> dict[str, str]:
    """Read ``--columns``.

    Args:
        text: ``model=M,item=I,score=S``, then other columns of ours and strata; a name without ``=`` is the
            column's too.

    Returns:
        By column of ours, the column of the file.

    Raises:
        UsageError: It is written in another way, or names one of ours twice.
    """
    named: dict[str, str] = {}
    for part in text.split(","):
        ours, _, theirs = (piece.strip() for piece in part.partition("="))
        if not ours or ("=" in part and not theirs):
            raise UsageError(
                f"--columns has {part!r}, expected OURS=THEIRS between commas, such as "
                "model=name,item=id,score=acc"
            )
        if ours in named:
            raise UsageError(f"--columns names {ours!r} twice: {named[ours]!r} and {theirs or ours!r}")
        named[ours] = theirs or ours
    return named


def recognises(path: Path) -> bool:
    """Check whether a file is a table of any sort."""
    return path.is_file() and kind_of(path) is not None


def read(path: Path, choices: Choices) -> LogScores:
    """Read scores from a table.

    Args:
        path: Parquet, delimited text with a first line of names, JSON Lines or a JSON list of objects.
        choices: ``columns`` names all that are taken; without it ours are taken as they are named, and other
            columns of text are strata. ``model`` stands for a column of models.

    Raises:
        InputError: A column is not there, or the file is damaged or has no rows.
    """
    kind = kind_of(path)
    if kind is None:
        raise InputError(
            "this is not a table",
            where=path,
            next_step="Expected Parquet, CSV, TSV or JSON Lines with --columns",
        )
    only = None if choices.columns is None else list(choices.columns.values())
    frame = read_table(path, kind, only if kind in (Kind.PARQUET, *_DELIMITED) else None)
    taken = choices.columns or {name: name for name in frame.columns}
    absent = [name for name in _NEEDED if name not in taken and not (name == "model" and choices.model)]
    if absent:
        _refuse(absent, taken, path, frame, choices)
    if choices.columns:
        _check_there(choices.columns, path, kind, frame)
    if frame.is_empty():
        raise InputError("this table has no rows", where=path)
    frame = frame.select(_plain(frame[theirs], ours, choices) for ours, theirs in taken.items())
    notes = _unused_columns(path, frame, numbers=not choices.columns)
    if choices.model and "model" not in taken:
        frame = frame.with_columns(pl.lit(choices.model).alias("model"))
    elif choices.model:
        notes.append(f"{path.name} names its models itself, so --model {choices.model} is not used.")
    if kind in _DELIMITED and not choices.columns:
        frame = frame.drop(name for name in frame.columns if name not in FIXED and _is_number(frame[name]))
    score_notes = read_notes(path) if kind is Kind.PARQUET else ScoreNotes()
    return LogScores(frame, tuple(notes), score_notes=score_notes)


def _unused_columns(path: Path, frame: pl.DataFrame, *, numbers: bool) -> list[str]:
    """List the columns that sort no items though they could: numbers, and those of one value and gaps."""
    others = [name for name in frame.columns if name not in FIXED]
    left = [name for name in others if _is_number(frame[name])] if numbers else []
    notes = [
        f"{path.name}: the column {name!r} holds {kinds[0]!r} or nothing, so it sorts no items."
        for name in others
        if name not in left and frame[name].has_nulls() and not frame[name].dtype.is_nested()
        if len(kinds := frame[name].drop_nulls().unique()) == 1
    ]
    if left:
        columns, are = ("column", "is") if len(left) == 1 else ("columns", "are")
        notes.append(
            f"{path.name}: the {columns} {', '.join(map(repr, left))} {are} of numbers and left out; such a "
            "column sorts items only if --columns names it."
        )
    return notes


def _check_there(columns: dict[str, str], path: Path, kind: Kind, frame: pl.DataFrame) -> None:
    for ours, theirs in columns.items():
        if theirs not in frame.columns:
            names = read_table(path, kind).columns if kind in (Kind.PARQUET, *_DELIMITED) else frame.columns
            raise InputError(
                f"there is no column {theirs!r} for {ours!r}", where=path, next_step=near_match(theirs, names)
            )


def _refuse(
    absent: list[str], taken: dict[str, str], path: Path, frame: pl.DataFrame, choices: Choices
) -> None:
    if choices.columns:
        raise UsageError(
            f"--columns names no column for {_listed(absent)}",
            next_step="Expected model=…,item=…,score=…"
            + (", or --model NAME where all scores are one model's" if "model" in absent else ""),
        )
    shown = ", ".join(frame.columns[:30]) + (", …" if frame.width > 30 else "")
    raise InputError(
        f"there is no column {_listed(absent)}; there are: {shown}",
        where=path,
        next_step=f"Name the columns, such as --columns {_example(frame)}"
        + (", or --model NAME where all scores are one model's" if absent == ["model"] else "")
        + (". Reshape a table that has one column per model to one row per score" if _is_wide(frame) else ""),
    )


def _listed(names: list[str]) -> str:
    return " and ".join(map(repr, names)) if len(names) < 3 else "'model', 'item' or 'score'"


def _example(frame: pl.DataFrame) -> str:
    """Fill in ``--columns`` by what others call these columns, else by what each holds."""
    free = list(frame.columns)
    chosen = {}
    for ours, names in _LIKELY.items():
        matches = [name for likely in names for name in free if name.casefold() == likely]
        if matches:
            free.remove(matches[0])
            chosen[ours] = matches[0]
    for ours in _NEEDED:
        if ours not in chosen:
            numbers = [name for name in free if _is_number(frame[name]) == (ours == "score")]
            chosen[ours] = (numbers or free or ["…"])[0]
            free = [name for name in free if name != chosen[ours]]
    return ",".join(f"{ours}={chosen[ours]}" for ours in _NEEDED)


def _is_wide(frame: pl.DataFrame) -> bool:
    """Whether several columns could be scores and none is called so."""
    likely = any(name.casefold() in _LIKELY["score"] for name in frame.columns)
    return not likely and sum(_is_number(frame[name]) for name in frame.columns) > 1


def _is_number(values: pl.Series) -> bool:
    if values.dtype != pl.String:
        return values.dtype.is_numeric() or values.dtype == pl.Boolean
    return values.null_count() < len(values) and values.cast(pl.Float64, strict=False).null_count() == (
        values.null_count()
    )


def _plain(values: pl.Series, name: str, choices: Choices) -> pl.Series:
    """Give a column its name, text that stands for a number as one, and a named stratum as text."""
    values = values.alias(name)
    if values.dtype != pl.String:
        is_stratum = name not in FIXED and choices.columns is not None and not values.dtype.is_nested()
        return values.cast(pl.String) if is_stratum else values
    if FIXED.get(name) in (pl.Float64, pl.Int64):
        values = values.str.strip_chars()
        if name == "score":
            values = values.replace({"true": "1", "True": "1", "false": "0", "False": "0"})
        numbers = values.cast(FIXED[name], strict=False)
        return numbers if numbers.null_count() == values.null_count() else values
    return values
