"""Rows of text files, a piece at a time: JSON Lines, a JSON list of objects, and delimited text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from tellapart.errors import InputError, near_match
from tellapart.files import Fault, JsonError, RowFaults, read_json, read_json_lines
from tellapart.files.tables import Kind, head_text, kind_of, read_delimited

_PIECE_ROWS = 8_192
_PIECE_BYTES = 16 * 2**20
_CAUSES = {Fault.ENCODING: "not UTF-8", Fault.TOO_LONG: "line too long"}


def read_rows(path: Path, problems: RowFaults) -> Iterator[list[tuple[int, Any]]]:
    """Parse a file of JSON Lines."""

    def take_down(line: int, error: JsonError) -> None:
        # "this is not JSON: …", where the cause says that already.
        detail = error.what.partition(": ")[2] or error.what
        column = f", column {error.column}" if error.column else ""
        problems.add(line, "row", _CAUSES.get(error.fault, "not JSON"), detail + column)

    piece: list[tuple[int, Any]] = []
    held_bytes = 0
    for line in read_json_lines(path, take_down, finite=True):
        piece.append((line.number, line.value))
        held_bytes += line.n_bytes
        if len(piece) == _PIECE_ROWS or held_bytes > _PIECE_BYTES:
            yield piece
            piece, held_bytes = [], 0
    yield piece


_LINES = (".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv")
_ANCHORS = ("anchor", "query", "question", "anchor_text")
_JSON_CELLS = {"negatives", "metadata", "bundle_ids", "label", "labels", "score", "scores"}
"""Columns of delimited text that hold no plain text."""


def read_any_rows(
    path: Path, problems: RowFaults, anchors: Sequence[str] = ()
) -> Iterator[list[tuple[int, Any]]]:
    """Parse a file of JSON Lines, a JSON list of objects, or delimited text with a column for the anchor.

    ``anchors`` are further names by which delimited text may be known.
    """
    kind = None if path.suffix in _LINES else kind_of(path)
    text = (head_text(path) or "").lstrip()
    if kind is Kind.JSON and re.match(r"\[\s*\{", text):
        rows: Iterator[tuple[int, Any]] = iter(enumerate(read_json(path, finite=True), start=1))
    elif kind in (Kind.COMMAS, Kind.TABS, Kind.SEMICOLONS) and _has_anchor(text, kind, path, anchors):
        rows = _cells(path, kind, problems)
    else:
        yield from read_rows(path, problems)
        return
    while piece := list(islice(rows, _PIECE_ROWS)):
        yield piece


def _has_anchor(text: str, kind: Kind, path: Path, anchors: Sequence[str]) -> bool:
    names = [name.strip().strip('"') for name in text.split("\n", 1)[0].split(kind.value)]
    if any(name in (*_ANCHORS, *anchors) for name in names):
        return True
    if path.suffix in _TABLES:
        raise InputError(
            "this table has no column 'anchor'", where=path, next_step=near_match("anchor", names)
        )
    return False


def _cells(path: Path, kind: Kind, problems: RowFaults) -> Iterator[tuple[int, Any]]:
    def take_down(line: int, what: str) -> None:
        problems.add(line, "row", "too many fields", what)

    for line, cells in read_delimited(path, kind, take_down):
        row: dict[str, Any] = dict(cells)
        for name in row.keys() & _JSON_CELLS:
            with suppress(ValueError):
                row[name] = from_json(row[name])
        yield line, row
