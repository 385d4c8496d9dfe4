"""Tables of scores and items as Parquet files."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import polars as pl
from pydantic import BaseModel

from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import InputError, placed
from tellapart.files import cannot_write, check_record, read_json, write_bytes
from tellapart.files.tables import from_parquet

R = TypeVar("R", bound=BaseModel)


_ROWS_A_GROUP = 262_144


def load_record(path: Path, kind: type[R], what: str, *, next_step: str | None = None) -> R:
    """Read a file that holds one record as JSON."""
    value = read_json(path, f"this {what}", next_step=next_step)
    return check_record(value, kind, path, what, next_step=next_step)


def read_frame(path: Path, columns: list[str] | None = None, schema: pl.Schema | None = None) -> pl.DataFrame:
    """Read a Parquet file, or some of its columns."""
    frame = from_parquet(path, lambda source: pl.read_parquet(source, columns=columns))
    for name, kind in frame.schema.items():
        expected = schema.get(name, kind) if schema else kind
        if kind != expected:
            raise InputError(
                f"the column {name!r} is of type {kind}, expected {expected}",
                where=path,
                next_step="Do the run again",
            )
    return frame


def read_notes(path: Path) -> ScoreNotes:
    """Read the notes on scores that a Parquet file keeps; nothing is noted in a file of another kind."""
    metadata = from_parquet(path, pl.read_parquet_metadata)
    with placed(path):
        return ScoreNotes.from_metadata(metadata)


def write_frame(path: Path, frame: pl.DataFrame, notes: ScoreNotes | None = None) -> None:
    """Write a Parquet file, whole or not at all; equal frames give equal bytes."""
    write_bytes(path, frame_bytes(frame, notes))


def join_frames(paths: list[Path], out: Path, notes: ScoreNotes) -> None:
    """Write a Parquet file of the rows of others, a few at a time; equal rows give equal bytes."""
    try:
        pl.scan_parquet(paths, glob=False).sink_parquet(
            out,
            compression="zstd",
            statistics=False,
            row_group_size=_ROWS_A_GROUP,
            metadata=notes.to_metadata() or None,
        )
    except (OSError, pl.exceptions.PolarsError) as error:
        # Polars gives no number, and calls a full disk a computation that failed.
        raise cannot_write(out, errno.ENOSPC if "No space left" in str(error) else errno.EIO) from error


def frame_bytes(frame: pl.DataFrame, notes: ScoreNotes | None = None) -> bytes:
    """Give the bytes of a Parquet file, the same of equal frames; see `write_frame`."""
    # Into memory first: Polars reports a full disk as a computation that failed.
    buffer = BytesIO()
    metadata = notes.to_metadata() if notes else None
    frame.write_parquet(buffer, compression="zstd", statistics=False, metadata=metadata or None)
    return buffer.getvalue()


ITEMS = "items.parquet"
"""The table of items of a run."""

TEXT_COLUMNS = ("question", "expected", "response")
"""What an item asks, its right answer, and what a model said."""


@dataclass(frozen=True)
class ItemText:
    """A part of an item to be read, such as ``Question``; the text may be hostile."""

    name: str
    text: str


def item_of(row: Mapping[str, Any]) -> str:
    """The id, in the scores of a run, of the item of a row; ``item`` of a conversation's is the question."""
    if row.get("case") is not None and row.get("step_id") is not None:
        return f"{row['case']}/{row['step_id']}"
    return str(row["item"])


def read_item_rows(run: Path) -> list[dict[str, Any]]:
    """Read the table of items that a run keeps beside its scores."""
    path = run / ITEMS
    if not path.is_file():
        return []
    frame = read_frame(path)
    has_texts = "item" in frame.columns and not set(TEXT_COLUMNS).isdisjoint(frame.columns)
    return frame.rows(named=True) if has_texts else []
