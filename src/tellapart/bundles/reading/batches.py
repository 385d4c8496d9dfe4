"""Eval files as frames of bundles, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic_core import from_json

from tellapart.bundles.reading.checks import sound, with_tier_names
from tellapart.bundles.reading.forms import BUNDLES, LABELLED_PAIR, RERANKING, Form, Row, form_of, unify
from tellapart.bundles.reading.gathering import gather
from tellapart.bundles.reading.jsonl import read_any_rows
from tellapart.bundles.reading.parquet import (
    check_columns,
    check_kinds,
    has_metadata,
    read_parquet_pieces,
    tiers_in_metadata,
    unify_columns,
)
from tellapart.core.bundle import Bundle
from tellapart.errors import InputError, near_match
from tellapart.files import RowFaults, refuse_foreign

BATCH_SCHEMA = pl.Schema(
    {
        "line": pl.Int64(),
        "bundle_id": pl.String(),
        "anchor": pl.String(),
        "positive": pl.String(),
        "negatives": pl.List(pl.String()),
        "tier": pl.String(),
    }
)
"""One row a bundle; only ``tier`` may be null, and it is one of ``TIERS``."""


@dataclass(frozen=True)
class _Piece:
    """Unchecked rows of ``BATCH_SCHEMA``; ``rows`` has them whole, where they are read one by one.

    ``given`` has each as the file has it, for the names of its fields.
    """

    frame: pl.DataFrame
    form: Form
    given: Callable[[int], Row]
    rows: list[Row] | None = None


def read_batches(path: Path, problems: RowFaults) -> Iterator[pl.DataFrame]:
    """Read an eval file, never whole."""
    for frame, _ in _checked(_pieces(path, problems), path, problems):
        yield frame


def read_described(path: Path, problems: RowFaults) -> Iterator[tuple[pl.DataFrame, list[Row]]]:
    """Read an eval file with what it says about its bundles besides their texts."""
    yield from _checked(_pieces(path, problems, described=True), path, problems)


def read_bundles(
    path: Path, problems: RowFaults, rename: Mapping[str, str] | None = None
) -> Iterator[Bundle]:
    """Read an eval file with everything it holds about each bundle; much slower than ``read_batches``.

    ``rename`` gives fields of the file the names of a form.
    """
    for frame, rows in _checked(_pieces(path, problems, whole=True, rename=rename), path, problems):
        for row, tier in zip(rows, frame["tier"], strict=True):
            yield Bundle.from_row({**row, "tier": tier})


@dataclass(frozen=True)
class UncheckedRows:
    """Some rows of a file, the unusable ones too, as far as bundles could be made of them.

    Attributes:
        frame: Of ``BATCH_SCHEMA``, in which anything may be null but ``line`` and ``bundle_id``.
        rows: The same in our own form, with everything they hold.
        sound: Which of them can be used, shape (rows,).
    """

    frame: pl.DataFrame
    rows: list[Row]
    sound: NDArray[np.bool_]


def read_unchecked(path: Path, problems: RowFaults) -> Iterator[UncheckedRows]:
    """Read an eval file with its bad rows, to see what is wrong with them."""
    seen, rows = dict[str, int](), 0
    for piece in _pieces(path, problems, whole=True):
        rows += piece.frame.height
        good = sound(piece.frame, piece.form, piece.given, seen, problems)
        if piece.frame.height:
            yield UncheckedRows(with_tier_names(piece.frame), piece.rows or [], good)
    if not rows and not problems.counts:
        raise _no_bundle(path)


def read_file_rows(path: Path, problems: RowFaults) -> Iterator[tuple[int, Any]]:
    """Read rows as a file has them, of any form or none."""
    if _is_parquet(path):
        for first, frame in read_parquet_pieces(path):
            yield from _numbered(first, frame)
    else:
        for piece in read_any_rows(path, problems):
            yield from piece


def _checked(
    pieces: Iterator[_Piece], path: Path, problems: RowFaults
) -> Iterator[tuple[pl.DataFrame, list[Row]]]:
    seen, rows = dict[str, int](), 0
    for piece in pieces:
        rows += piece.frame.height
        good = sound(piece.frame, piece.form, piece.given, seen, problems)
        frame = with_tier_names(piece.frame if good.all() else piece.frame.filter(good))
        if frame.height:
            yield frame, [(piece.rows or [])[i] for i in np.flatnonzero(good)] if piece.rows else []
    if not rows and not problems.counts:
        raise _no_bundle(path)


def _no_bundle(path: Path) -> InputError:
    return InputError("there is no bundle in this file", where=path)


def _pieces(
    path: Path,
    problems: RowFaults,
    *,
    whole: bool = False,
    described: bool = False,
    rename: Mapping[str, str] | None = None,
) -> Iterator[_Piece]:
    if rename:
        pieces = _renamed(path, problems, rename)
    elif _is_parquet(path):
        yield from _parquet(path, problems, whole=whole, described=described)
        return
    else:
        pieces = read_any_rows(path, problems)
    for piece in gather(pieces, problems):
        yield from _by_form(piece, problems)


def _renamed(
    path: Path, problems: RowFaults, rename: Mapping[str, str]
) -> Iterator[Iterable[tuple[int, Any]]]:
    """Rows of a file of any kind with other names of their fields, each of which some row must have."""
    names: set[str] = set()

    def renamed(row: Any) -> Any:
        if not isinstance(row, dict):
            return row
        names.update(row)
        return {rename.get(name, name): value for name, value in row.items()}

    if _is_parquet(path):
        tables: Iterable[Iterable[tuple[int, Any]]] = (
            _numbered(first, frame) for first, frame in read_parquet_pieces(path)
        )
    else:
        tables = read_any_rows(path, problems, anchors=list(rename))
    for table in tables:
        yield [(line, renamed(row)) for line, row in table]
    for old in rename:
        if old not in names:
            raise InputError(f"no row has the field {old!r}", where=path, next_step=near_match(old, names))


def _is_parquet(path: Path) -> bool:
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
    if start == b"PAR1":
        return True
    refuse_foreign(start, path, "JSON Lines, JSON or CSV in UTF-8, or Parquet")
    return False


def _parquet(path: Path, problems: RowFaults, *, whole: bool, described: bool) -> Iterator[_Piece]:
    tables = read_parquet_pieces(path)
    for first, frame in tables:
        form = check_columns(frame.schema, path)
        plain = check_kinds(frame.schema, form, path)
        if form is LABELLED_PAIR:
            pieces = (_numbered(*table) for table in chain([(first, frame)], tables))
            for piece in gather(pieces, problems):
                yield from _by_form(piece, problems)
        elif plain and not (whole or tiers_in_metadata(frame) or (described and has_metadata(frame))):
            yield _Piece(unify_columns(frame, form, first, problems), form, partial(_given, frame, form))
        else:
            yield from _by_form(_numbered(first, frame), problems)


def _numbered(first: int, frame: pl.DataFrame) -> Iterator[tuple[int, Row]]:
    return enumerate(map(_with_metadata, frame.iter_rows(named=True)), start=first)


def _given(frame: pl.DataFrame, form: Form, row: int) -> Row:
    # Of reranking rows one makes several, and names do not differ from row to row.
    return {} if form is RERANKING else frame.row(row, named=True)


def _with_metadata(row: Row) -> Row:
    """Metadata differs from row to row, so that a column of it holds JSON."""
    if isinstance(row.get("metadata"), str):
        with suppress(ValueError):
            row["metadata"] = from_json(row["metadata"])
    return row


def _by_form(rows: Iterable[tuple[int, Any]], problems: RowFaults) -> Iterator[_Piece]:
    """One piece for each run of rows of one form; nearly always one in all."""
    form, unified, lines, given = BUNDLES, list[Row](), list[int](), list[Row]()
    for line, row in rows:
        unified_rows = unify(row, line, problems)
        if unified_rows and form_of(row) is not form:
            if unified:
                yield _as_piece(unified, lines, form, given)
            form, unified, lines, given = form_of(row), [], [], []
        unified += unified_rows
        lines += [line] * len(unified_rows)
        given += [row] * len(unified_rows)
    if unified:
        yield _as_piece(unified, lines, form, given)


def _as_piece(rows: list[Row], lines: list[int], form: Form, given: list[Row]) -> _Piece:
    frame = pl.DataFrame(
        {
            "line": lines,
            "bundle_id": [row["bundle_id"] for row in rows],
            "anchor": [_plain(row["anchor"]) for row in rows],
            "positive": [_plain(row["positive"]) for row in rows],
            "negatives": _lists([row["negatives"] for row in rows]),
            "tier": [row.get("tier") for row in rows],
        },
        schema=BATCH_SCHEMA,
    )
    return _Piece(frame, form, given.__getitem__, rows)


def _lists(rows: list[list[str | Row]]) -> pl.Series:
    # One column of all texts, cut up: Polars takes several times as long over a list of lists.
    owners = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    texts = pl.Series("negatives", [_plain(text) for row in rows for text in row], dtype=pl.String)
    gathered = texts.to_frame().with_columns(row=owners).group_by("row", maintain_order=True).agg("negatives")
    every = pl.DataFrame({"row": np.arange(len(rows))})
    joined = every.join(gathered, on="row", how="left", maintain_order="left")["negatives"]
    return joined.fill_null(pl.Series([[]], dtype=pl.List(pl.String)))


def _plain(text: str | Row) -> str:
    return text if isinstance(text, str) else str(text["text"])
