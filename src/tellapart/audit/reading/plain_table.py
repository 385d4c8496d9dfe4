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
    return scores_of_frame(
        read_table(path, kind, list((choices.columns or {}).values())),
        choices,
        str(path),
        typed=kind not in _DELIMITED,
        score_notes=read_notes(path) if kind is Kind.PARQUET else None,
    )


def scores_of_frame(
    frame: pl.DataFrame,
    choices: Choices,
    where: str,
    *,
    typed: bool = True,
    score_notes: ScoreNotes | None = None,
) -> LogScores:
    """Read scores from a frame exactly as from a file that holds it.

    Args:
        frame: One row a score, columns of any names.
        choices: ``columns`` names those that are taken; without it ours are taken as they are named, and
            other columns of text are strata. ``model`` stands for a column of models.
        where: What the frame is called in messages, such as the path of its file.
        typed: Whether a column of text is meant as text. Delimited text has no other columns, so that text
            which is a number everywhere is one there.
        score_notes: What must stay with the scores; nothing where None.

    Raises:
        InputError: A column is not there, or there are no rows.
        UsageError: ``choices.columns`` leaves out a column that is needed.
    """
    name = Path(where).name
    taken = choices.columns or {column: column for column in frame.columns}
    absent = [
        column for column in _NEEDED if column not in taken and not (column == "model" and choices.model)
    ]
    if absent:
        _refuse(absent, taken, where, frame, choices)
    _check_there(taken, where, frame)
    if frame.is_empty():
        raise InputError("this table has no rows", where=where)
    frame = frame.select(_plain(frame[theirs], ours, choices) for ours, theirs in taken.items())
    notes = _unused_columns(name, frame, numbers=not choices.columns)
    if choices.model and "model" not in taken:
        frame = frame.with_columns(pl.lit(choices.model).alias("model"))
    elif choices.model:
        notes.append(f"{name} names its models itself, so --model {choices.model} is not used.")
    if not typed and not choices.columns:
        frame = frame.drop(
            column for column in frame.columns if column not in FIXED and _is_number(frame[column])
        )
    frame, blank_notes = _blanks_missing(frame, name)
    return LogScores(frame, (*notes, *blank_notes), score_notes=score_notes or ScoreNotes())


_BLANK = ("", "na", "n/a", "nan", "null", "none", "-", "—")
"""How people write that there is no score, in small letters."""


def _blanks_missing(frame: pl.DataFrame, name: str) -> tuple[pl.DataFrame, list[str]]:
    """Count a score that is blank, or NaN, without a stated cause as missing for an unknown cause."""
    score = frame["score"]
    if score.dtype == pl.String:
        kept = score.str.strip_chars().str.to_lowercase().is_in(_BLANK)
        score = _number_of(score.set(kept.fill_null(False), None))
    elif score.dtype.is_float():
        score = score.fill_nan(None)
    missing = frame["missing"] if "missing" in frame.columns else pl.Series("missing", [None] * len(frame))
    unknown = score.is_null() & missing.is_null()
    if score.equals(frame["score"], check_dtypes=True) and not unknown.any():
        return frame, []
    frame = frame.with_columns(score.alias("score"))
    if not unknown.any():
        return frame, []
    frame = frame.with_columns(
        missing=pl.Series(pl.select(pl.when(unknown).then(pl.lit("unknown")).otherwise(missing)).to_series())
    )
    n = int(unknown.sum())
    return frame, [
        f"{name}: {n} of {len(frame)} scores {'is' if n == 1 else 'are'} blank without a cause, counted as "
        "missing (unknown)."
    ]


def _unused_columns(name: str, frame: pl.DataFrame, *, numbers: bool) -> list[str]:
    """List the columns that sort no items though they could: numbers, and those of one value and gaps."""
    others = [column for column in frame.columns if column not in FIXED]
    left = [column for column in others if _is_number(frame[column])] if numbers else []
    notes = [
        f"{name}: the column {column!r} holds {kinds[0]!r} or nothing, so it sorts no items."
        for column in others
        if column not in left and frame[column].has_nulls() and not frame[column].dtype.is_nested()
        if len(kinds := frame[column].drop_nulls().unique()) == 1
    ]
    if left:
        columns, are = ("column", "is") if len(left) == 1 else ("columns", "are")
        notes.append(
            f"{name}: the {columns} {', '.join(map(repr, left))} {are} of numbers and left out; such a "
            "column sorts items only if --columns names it."
        )
    return notes


def _check_there(columns: dict[str, str], where: str, frame: pl.DataFrame) -> None:
    for ours, theirs in columns.items():
        if theirs not in frame.columns:
            raise InputError(
                f"there is no column {theirs!r} for {ours!r}",
                where=where,
                next_step=near_match(theirs, frame.columns),
            )


def _refuse(
    absent: list[str], taken: dict[str, str], where: str, frame: pl.DataFrame, choices: Choices
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
        where=where,
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
    return _number_of(values) if FIXED.get(name) in (pl.Float64, pl.Int64) else values


def _number_of(values: pl.Series) -> pl.Series:
    """Text of numbers as numbers; as it is where one is none."""
    texts = values.str.strip_chars()
    if values.name == "score":
        texts = texts.replace({"true": "1", "True": "1", "false": "0", "False": "0"})
    numbers = texts.cast(FIXED[values.name], strict=False)
    return numbers if numbers.null_count() == texts.null_count() else values
