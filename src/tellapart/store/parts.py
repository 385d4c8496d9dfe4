"""Scores in many files: a folder with a manifest that says which files they are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pydantic import Field

from tellapart.core.record import StoredRecord
from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import FingerprintError, InputError
from tellapart.files import sha256_of
from tellapart.store.records import load_record

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
