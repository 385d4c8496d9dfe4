"""Rows of files, a piece at a time: JSON Lines, a JSON list of objects, delimited text and Parquet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import polars as pl
from pydantic_core import from_json

from tellapart.errors import InputError, near_match
from tellapart.files import Fault, JsonError, RowFaults, cannot_read
from tellapart.files.reading import json_lines, parse_json, refuse_foreign
from tellapart.files.tables import Kind, delimited, from_parquet, head_of, kind_of_text

Numbered = tuple[int, Any]
"""Line, from 1, and what is in it."""

HEADER = "_header"
"""A line with this field describes the file and is no bundle."""

_PIECE_ROWS = 8_192
_PIECE_BYTES = 16 * 2**20
_LINES = (".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv")
_ANCHORS = ("anchor", "query", "question", "anchor_text")
_JSON_CELLS = {"negatives", "metadata", "bundle_ids", "score", "scores"}
"""Columns of delimited text that hold no plain text."""


class Columns(NamedTuple):
    """A piece of a Parquet file and the number of its first row, from 1."""

    first: int
    frame: pl.DataFrame

    def rows(self) -> list[Numbered]:
        """Its rows; metadata differs from row to row, so that a column of it holds JSON."""
        rows = list(enumerate(self.frame.iter_rows(named=True), start=self.first))
        if self.frame.schema.get("metadata") == pl.String:
            for _, row in rows:
                with suppress(ValueError, TypeError):
                    row["metadata"] = from_json(row["metadata"])
        return rows


Piece = Columns | list[Numbered]


def read_pieces(path: Path, problems: RowFaults, anchors: Iterable[str] = ()) -> Iterator[Piece]:
    """Open a file once, and read rows as it has them, of any form or none.

    ``anchors`` are more names by which delimited text may be known.
    """
    with _opened(path) as file:
        if _is_parquet(file, path):
            yield from _columns(file, path)
            return
        text = (head_of(file) or "").lstrip()
        kind = None if path.suffix in _LINES else kind_of_text(text, path)
        rows: Iterator[Numbered] | None = None
        if kind is Kind.JSON and re.match(r"\[\s*\{", text):
            rows = iter(enumerate(parse_json(file.read(), path, finite=True), start=1))
        elif kind in (Kind.COMMAS, Kind.TABS, Kind.SEMICOLONS) and _has_anchor(text, kind, path, anchors):
            rows = _cells(file, path, kind, problems)
        if rows is None:
            yield from _lines(file, path, problems)
            return
        while piece := list(islice(rows, _PIECE_ROWS)):
            yield piece


def read_rows(path: Path, problems: RowFaults) -> Iterator[list[Numbered]]:
    """Read a file of JSON Lines."""
    with _opened(path) as file:
        yield from _lines(file, path, problems)


def read_file_rows(path: Path, problems: RowFaults) -> Iterator[Numbered]:
    """Read rows as a file has them, of any form or none, one by one."""
    return chain.from_iterable(rows_of(read_pieces(path, problems)))


def rows_of(pieces: Iterable[Piece]) -> Iterator[list[Numbered]]:
    """Pieces as rows."""
    return (piece.rows() if isinstance(piece, Columns) else piece for piece in pieces)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file; refuses what no eval can be."""
    if path.is_dir():
        files = sorted(inner for inner in path.iterdir() if inner.is_file())
        raise InputError(
            "this is a folder, expected a file",
            where=path,
            next_step=f"Name a file in it{f', such as {files[0]}' if files else ''}; only 'tellapart bundles "
            "score' takes a folder",
        )
    if path.exists() and not path.is_file():
        raise InputError(
            "this is not a regular file, and an eval is read more than once",
            where=path,
            next_step="Save it as a file first",
        )
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise cannot_read(path, error) from None


def _is_parquet(file: BinaryIO, path: Path) -> bool:
    start = file.read(4)
    file.seek(0)
    if start != b"PAR1":
        refuse_foreign(start, path, "JSON Lines, JSON or CSV in UTF-8, or Parquet")
    return start == b"PAR1"


def _columns(file: BinaryIO, path: Path) -> Iterator[Columns]:
    def collected(query: pl.LazyFrame) -> pl.DataFrame:
        return from_parquet(path, lambda _: query.collect(), file)

    table, size = from_parquet(path, pl.scan_parquet, file), 2 * _PIECE_ROWS
    for start in range(0, collected(table.select(pl.len())).item(), size):
        yield Columns(start + 1, collected(table.slice(start, size)))


def _lines(file: BinaryIO, path: Path, problems: RowFaults) -> Iterator[list[Numbered]]:
    def take_down(line: int, error: JsonError) -> None:
        # "this is not JSON: …", where the cause says that already.
        detail = error.what.partition(": ")[2] or error.what
        column = f", column {error.column}" if error.column else ""
        problems.add(
            line, "row", "not UTF-8" if error.fault is Fault.ENCODING else "not JSON", detail + column
        )

    piece: list[Numbered] = []
    held_bytes = 0
    for number, value, n_bytes in json_lines(file, path, take_down, finite=True):
        piece.append((number, value))
        held_bytes += n_bytes
        if len(piece) == _PIECE_ROWS or held_bytes > _PIECE_BYTES:
            yield piece
            piece, held_bytes = [], 0
    yield piece


def _has_anchor(text: str, kind: Kind, path: Path, anchors: Iterable[str]) -> bool:
    names = [name.strip().strip('"') for name in text.split("\n", 1)[0].split(kind.value)]
    if any(name in (*_ANCHORS, *anchors) for name in names):
        return True
    if path.suffix in _TABLES:
        raise InputError(
            "this table has no column 'anchor'", where=path, next_step=near_match("anchor", names)
        )
    return False


def _cells(file: BinaryIO, path: Path, kind: Kind, problems: RowFaults) -> Iterator[Numbered]:
    def take_down(line: int, what: str) -> None:
        problems.add(line, "row", "too many fields", what)

    for line, cells in delimited(file, path, kind, take_down):
        row: dict[str, Any] = dict(cells)
        for name in row.keys() & _JSON_CELLS:
            with suppress(ValueError):
                row[name] = from_json(row[name])
        yield line, row


def renamed(
    pieces: Iterable[list[Numbered]], rename: Mapping[str, str], path: Path
) -> Iterator[list[Numbered]]:
    """Give fields the names of a form; some row must have each of them."""
    names: set[str] = set()
    for piece in pieces:
        rows: list[Numbered] = []
        for line, row in piece:
            if isinstance(row, dict):
                names.update(row)
                row = {rename.get(name, name): value for name, value in row.items()}
            rows.append((line, row))
        yield rows
    for old in rename:
        if old not in names:
            raise InputError(f"no row has the field {old!r}", where=path, next_step=near_match(old, names))


def without_header(pieces: Iterable[list[Numbered]], problems: RowFaults) -> Iterator[list[Numbered]]:
    """Take out the header, which is the first row of a file if it has one."""
    is_first = True
    for piece in pieces:
        rows: list[Numbered] = []
        for line, row in piece:
            if not isinstance(row, dict) or HEADER not in row:
                rows.append((line, row))
            elif not is_first:
                problems.add(line, HEADER, "header below the first line")
            is_first = False
        yield rows
