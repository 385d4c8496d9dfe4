"""Tables of scores and items as Parquet files: one, or a folder of many with a manifest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, TypeVar

import polars as pl
from pydantic import BaseModel, Field

from tellapart.core.record import StoredRecord
from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import FingerprintError, InputError, placed
from tellapart.files import check_record, read_json, sha256_of, write_bytes
from tellapart.files.tables import from_parquet

R = TypeVar("R", bound=BaseModel)


def load_record(path: Path, kind: type[R], what: str, *, next_step: str | None = None) -> R:
    """Read a file that holds one record as JSON."""
    value = read_json(path, f"this {what}", next_step=next_step)
    return check_record(value, kind, path, what, next_step=next_step)


MANIFEST = "manifest.json"

_FOLDER = ".parquet"
_PART = re.compile(r"part-\d{5,}-[0-9a-f]{8}\.parquet")
_AGAIN = "Restore the folder from a copy, or score the eval again with 'tellapart bundles score'"


class ResultPart(StoredRecord):
    """A file of scores: its name, how many rows it has, and the SHA-256 of its bytes."""

    name: str = Field(pattern=r"^[^/\\]*[^/\\.][^/\\]*$")
    rows: int
    sha256: str


class SourceFile(StoredRecord):
    """A file of the eval: its name in the eval's folder, its size, and the SHA-256 of its bytes."""

    name: str
    bytes: int
    sha256: str


class Manifest(StoredRecord):
    """``manifest.json`` beside files of scores: which they are, of which eval, and what stays with them.

    Attributes:
        rows: Bundles in all files.
        parts: The files, in the order of the eval; others in the folder do not count.
        inputs: The files of the eval, by name.
        notes: What must stay with the scores.
    """

    schema_version: Literal[1] = 1
    rows: int
    parts: list[ResultPart]
    inputs: list[SourceFile]
    notes: ScoreNotes


def is_parted(path: Path) -> bool:
    """Whether a path is a folder of scores in many files, finished or not."""
    return (
        path.suffix == _FOLDER
        and path.is_dir()
        and ((path / MANIFEST).is_file() or any(_PART.fullmatch(entry.name) for entry in path.iterdir()))
    )


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of scores in many files."""
    path = folder / MANIFEST
    if not path.is_file():
        raise InputError(
            f"these scores are not complete: there is no {MANIFEST}", where=folder, next_step=_AGAIN
        )
    manifest = load_record(path, Manifest, "manifest of scores", next_step=_AGAIN)
    rows = sum(part.rows for part in manifest.parts)
    if not manifest.parts or rows != manifest.rows:
        raise InputError(
            f"the {len(manifest.parts)} files have {rows} rows together, expected {manifest.rows} and at "
            "least one file",
            where=path,
            next_step=_AGAIN,
        )
    return manifest


def part_paths(folder: Path) -> dict[Path, ResultPart]:
    """Give the files that a manifest names, in its order, each held against its digest."""
    parts = {folder / part.name: part for part in read_manifest(folder).parts}
    for path, part in parts.items():
        if not path.is_file():
            raise InputError(
                f"this part of the scores is missing, which {MANIFEST} names", where=path, next_step=_AGAIN
            )
        digest = sha256_of(path)
        if digest != part.sha256:
            raise FingerprintError(
                f"this part of the scores has changed: its SHA-256 is {digest[:16]}…, expected "
                f"{part.sha256[:16]}…",
                where=path,
                next_step=_AGAIN,
            )
    return parts


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


ITEMS = "items.parquet"
"""The table of items of a run."""

TEXT_COLUMNS = ("question", "expected", "response")
"""What an item asks, its right answer, and what a model said."""


@dataclass(frozen=True)
class ItemText:
    """A part of an item to be read; the text may be hostile.

    Attributes:
        name: What it is, such as ``Question``.
        text: The text, line breaks included.
    """

    name: str
    text: str


def item_of(row: Mapping[str, Any]) -> str:
    """The id, in the scores of a run, of the item that a row of its table of items is about.

    Answers in conversations are told apart by case and step; their ``item`` is the question, which several
    cases may share.
    """
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
