"""Rows of files, a piece at a time: JSON Lines, a JSON list of objects, delimited text and Parquet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from operator import methodcaller
from pathlib import Path
from typing import Any

import polars as pl
from pydantic_core import from_json

from tellapart.bundles.reading.forms import LABELLED_PAIR, form_of, labelled_pair
from tellapart.errors import InputError, near_match, quoted
from tellapart.files import Fault, JsonError, RowFaults, read_json, read_json_lines, refuse_foreign
from tellapart.files.tables import Kind, from_parquet, head_text, kind_of, read_delimited

Numbered = tuple[int, Any]
"""Line, from 1, and what is in it."""

HEADER = "_header"
"""A line with this field describes the file and is no bundle."""

_COUNT = "eval_count"
_PIECE_ROWS = 8_192
_PIECE_BYTES = 16 * 2**20
_CAUSES = {Fault.ENCODING: "not UTF-8", Fault.TOO_LONG: "line too long"}
_LINES = (".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv")
_ANCHORS = ("anchor", "query", "question", "anchor_text")
_JSON_CELLS = {"negatives", "metadata", "bundle_ids", "label", "labels", "score", "scores"}
"""Columns of delimited text that hold no plain text."""


def is_parquet(path: Path) -> bool:
    """Whether a file is Parquet; refuses what no eval can be."""
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
            start = file.read(4)
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
    if start != b"PAR1":
        refuse_foreign(start, path, "JSON Lines, JSON or CSV in UTF-8, or Parquet")
    return start == b"PAR1"


def read_parquet_pieces(path: Path) -> Iterator[tuple[int, pl.DataFrame]]:
    """Read a Parquet file: the number of the first row of each piece, from 1, and the piece."""

    def rows(query: Callable[[pl.LazyFrame], pl.LazyFrame]) -> pl.DataFrame:
        return from_parquet(path, lambda source: query(pl.scan_parquet(source)).collect())

    height = int(rows(lambda all_rows: all_rows.select(pl.len())).item())
    for start in range(0, height, 2 * _PIECE_ROWS):
        yield start + 1, rows(methodcaller("slice", start, 2 * _PIECE_ROWS))


def read_any_rows(path: Path, problems: RowFaults, anchors: Sequence[str] = ()) -> Iterator[list[Numbered]]:
    """Read rows as a file has them; ``anchors`` are more names by which delimited text may be known."""
    if is_parquet(path):
        yield from (numbered(*table) for table in read_parquet_pieces(path))
        return
    rows: Iterator[Numbered] | None = None
    if path.suffix not in _LINES:
        kind, text = kind_of(path), (head_text(path) or "").lstrip()
        if kind is Kind.JSON and re.match(r"\[\s*\{", text):
            rows = iter(enumerate(read_json(path, finite=True), start=1))
        elif kind in (Kind.COMMAS, Kind.TABS, Kind.SEMICOLONS) and _has_anchor(text, kind, path, anchors):
            rows = _cells(path, kind, problems)
    if rows is None:
        yield from read_rows(path, problems)
    else:
        while piece := list(islice(rows, _PIECE_ROWS)):
            yield piece


def read_rows(path: Path, problems: RowFaults) -> Iterator[list[Numbered]]:
    """Read a file of JSON Lines."""

    def take_down(line: int, error: JsonError) -> None:
        # "this is not JSON: …", where the cause says that already.
        detail = error.what.partition(": ")[2] or error.what
        column = f", column {error.column}" if error.column else ""
        problems.add(line, "row", _CAUSES.get(error.fault, "not JSON"), detail + column)

    piece: list[Numbered] = []
    held_bytes = 0
    for line in read_json_lines(path, take_down, finite=True):
        piece.append((line.number, line.value))
        held_bytes += line.n_bytes
        if len(piece) == _PIECE_ROWS or held_bytes > _PIECE_BYTES:
            yield piece
            piece, held_bytes = [], 0
    yield piece


def numbered(first: int, frame: pl.DataFrame) -> list[Numbered]:
    """Rows of a table; metadata differs from row to row, so that a column of it holds JSON."""
    rows = list(enumerate(frame.iter_rows(named=True), start=first))
    if frame.schema.get("metadata") == pl.String:
        for _, row in rows:
            with suppress(ValueError, TypeError):
                row["metadata"] = from_json(row["metadata"])
    return rows


def _has_anchor(text: str, kind: Kind, path: Path, anchors: Sequence[str]) -> bool:
    names = [name.strip().strip('"') for name in text.split("\n", 1)[0].split(kind.value)]
    if any(name in (*_ANCHORS, *anchors) for name in names):
        return True
    if path.suffix in _TABLES:
        raise InputError(
            "this table has no column 'anchor'", where=path, next_step=near_match("anchor", names)
        )
    return False


def _cells(path: Path, kind: Kind, problems: RowFaults) -> Iterator[Numbered]:
    def take_down(line: int, what: str) -> None:
        problems.add(line, "row", "too many fields", what)

    for line, cells in read_delimited(path, kind, take_down):
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


def gather(pieces: Iterable[list[Numbered]], problems: RowFaults) -> Iterator[list[Numbered]]:
    """Leave rows as they are, but take out the header and make one row of all labelled pairs of an anchor."""
    pairs: dict[str, tuple[int, list[str], list[float]]] = {}
    header, rows = None, 0
    for piece in pieces:
        others: list[Numbered] = []
        for line, row in piece:
            if isinstance(row, dict) and HEADER in row:
                if rows or header:
                    problems.add(line, HEADER, "header below the first line")
                header = header or (line, row.get(_COUNT))
                continue
            rows += 1
            if not isinstance(row, dict) or form_of(row) is not LABELLED_PAIR:
                others.append((line, row))
            elif pair := labelled_pair(row, line, problems):
                _, texts, labels = pairs.setdefault(pair[0], (line, [], []))
                texts.append(pair[1])
                labels.append(pair[2])
        yield others
    # A frozen eval may have grown since its header was written, but not shrunk.
    line, count = header or (0, None)
    if isinstance(count, bool) or not isinstance(count, int | None):
        problems.add(line, _COUNT, "wrong type", f"found {quoted(count)}, expected a whole number")
    elif count is not None and rows < count:
        problems.add(line, _COUNT, "rows are missing", f"the header counts {count:,}, the file has {rows:,}")
    yield [
        (line, {"anchor": anchor, "positive": texts, "labels": labels})
        for anchor, (line, texts, labels) in pairs.items()
    ]
