"""The manifest of scores in many files."""

from __future__ import annotations

from typing import Literal

from tellapart.core.record import StoredRecord
from tellapart.core.score_notes import ScoreNotes


class ResultPart(StoredRecord):
    """A file of scores: its name, how many rows it has, and the SHA-256 of its bytes."""

    name: str
    rows: int
    sha256: str


class SourceFile(StoredRecord):
    """A file of the eval: its name in the eval's folder, its size, and the SHA-256 of its bytes."""

    name: str
    bytes: int
    sha256: str


class Manifest(StoredRecord):
    """``manifest.json`` beside files of scores: which files they are, of which eval, and what stays with them.

    Attributes:
        schema_version: Of this record.
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
