"""Frames as Parquet files."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import polars as pl

from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import InputError, placed
from tellapart.files import write_bytes
from tellapart.files.tables import from_parquet
from tellapart.store.parts import MANIFEST, part_paths, read_manifest


def read_frame(path: Path, columns: list[str] | None = None, schema: pl.Schema | None = None) -> pl.DataFrame:
    """Read a Parquet file, or some of its columns."""
    if path.is_dir():
        return _read_parts(path, columns, schema)
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


def _read_parts(folder: Path, columns: list[str] | None, schema: pl.Schema | None) -> pl.DataFrame:
    frames: list[pl.DataFrame] = []
    for path, part in part_paths(folder).items():
        frame = read_frame(path, columns, schema)
        if frame.height != part.rows:
            raise InputError(
                f"this part has {frame.height} rows, expected {part.rows} by {MANIFEST}", where=path
            )
        if frames and frame.schema != frames[0].schema:
            raise InputError("this part has other columns than those before it", where=path)
        frames.append(frame)
    return pl.concat(frames)


def read_notes(path: Path) -> ScoreNotes:
    """Read the notes on scores that a Parquet file or the manifest of a folder of parts keeps.

    Nothing is noted in a file of another kind.
    """
    if path.is_dir():
        return read_manifest(path).notes
    metadata = from_parquet(path, pl.read_parquet_metadata)
    with placed(path):
        return ScoreNotes.from_metadata(metadata)


def write_frame(path: Path, frame: pl.DataFrame, notes: ScoreNotes | None = None) -> None:
    """Write a Parquet file, whole or not at all; equal frames give equal bytes."""
    write_bytes(path, frame_bytes(frame, notes))


def frame_bytes(frame: pl.DataFrame, notes: ScoreNotes | None = None) -> bytes:
    """Give the bytes of a Parquet file, the same of equal frames; see `write_frame`."""
    # Into memory first: Polars reports a full disk as a computation that failed.
    buffer = BytesIO()
    metadata = notes.to_metadata() if notes else None
    frame.write_parquet(buffer, compression="zstd", statistics=False, metadata=metadata or None)
    return buffer.getvalue()
