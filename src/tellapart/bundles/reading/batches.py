"""Eval files as frames of bundles, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.reading.forms import LABELLED_PAIR, ReadBundle, Row, plain, unify
from tellapart.bundles.reading.parquet import check_columns, plain_batch, read_parquet_pieces
from tellapart.bundles.reading.rows import (
    Numbered,
    gather,
    is_parquet,
    numbered,
    read_any_rows,
    read_text_rows,
    renamed,
)
from tellapart.core.bundle import Bundle
from tellapart.errors import InputError, quoted
from tellapart.files import RowFaults

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
class UncheckedRows:
    """Some rows of a file, as far as bundles could be made of them.

    Attributes:
        frame: Of ``BATCH_SCHEMA``; of rows that are not sound, texts may be empty and tiers unknown.
        rows: The same in our own form, with everything they hold; empty where columns hold all of it.
        sound: Which of them can be used, shape (rows,).
    """

    frame: pl.DataFrame
    rows: list[Row]
    sound: NDArray[np.bool_]


def read_batches(path: Path, problems: RowFaults) -> Iterator[pl.DataFrame]:
    """Read an eval file, never whole."""
    return (frame for frame, _ in _sound(_read(path, problems)))


def read_described(path: Path, problems: RowFaults) -> Iterator[tuple[pl.DataFrame, list[Row]]]:
    """Read an eval file with what it says about its bundles besides their texts."""
    return _sound(_read(path, problems, described=True))


def read_bundles(
    path: Path, problems: RowFaults, rename: Mapping[str, str] | None = None
) -> Iterator[Bundle]:
    """Read an eval file with everything it holds; ``rename`` gives fields of it the names of a form."""
    for _, rows in _sound(_read(path, problems, whole=True, rename=rename)):
        yield from map(Bundle.from_row, rows)


def read_unchecked(path: Path, problems: RowFaults) -> Iterator[UncheckedRows]:
    """Read an eval file with its bad rows, to see what is wrong with them."""
    return _read(path, problems, whole=True)


def read_file_rows(path: Path, problems: RowFaults) -> Iterator[Numbered]:
    """Read rows as a file has them, of any form or none."""
    return chain.from_iterable(read_any_rows(path, problems))


def _sound(batches: Iterable[UncheckedRows]) -> Iterator[tuple[pl.DataFrame, list[Row]]]:
    for batch in batches:
        if batch.sound.all():
            yield batch.frame, batch.rows
        elif batch.sound.any():
            rows = [batch.rows[i] for i in np.flatnonzero(batch.sound)] if batch.rows else []
            yield batch.frame.filter(batch.sound), rows


def _read(
    path: Path,
    problems: RowFaults,
    *,
    whole: bool = False,
    described: bool = False,
    rename: Mapping[str, str] | None = None,
) -> Iterator[UncheckedRows]:
    seen, rows = dict[str, int](), 0
    if rename:
        pieces = renamed(read_any_rows(path, problems, [*rename]), rename, path)
        batches = _by_rows(gather(pieces, problems), problems, seen)
    elif is_parquet(path):
        batches = _parquet(path, problems, seen, whole=whole, described=described)
    else:
        batches = _by_rows(gather(read_text_rows(path, problems), problems), problems, seen)
    for batch in batches:
        rows += batch.frame.height
        if batch.frame.height:
            yield batch
    if not rows and not problems.counts:
        raise InputError("there is no bundle in this file", where=path)


def _parquet(
    path: Path,
    problems: RowFaults,
    seen: dict[str, int],
    *,
    whole: bool,
    described: bool,
) -> Iterator[UncheckedRows]:
    tables = read_parquet_pieces(path)
    for first, frame in tables:
        form = check_columns(frame.schema, path)
        if form is LABELLED_PAIR:
            pieces = (numbered(*table) for table in chain([(first, frame)], tables))
            yield from _by_rows(gather(pieces, problems), problems, seen)
            return
        batch = None if whole else plain_batch(frame, form, first, described=described)
        if batch is None:
            yield from _by_rows([numbered(first, frame)], problems, seen)
        else:
            fields = ["bundle_id"] * batch.height
            sound = np.ones(batch.height, dtype=np.bool_)
            yield UncheckedRows(batch, [], _once(batch, sound, fields, seen, problems))


def _by_rows(
    pieces: Iterable[list[Numbered]], problems: RowFaults, seen: dict[str, int]
) -> Iterator[UncheckedRows]:
    for piece in pieces:
        lines: list[int] = []
        read: list[ReadBundle] = []
        for line, row in piece:
            bundles = unify(row, line, problems)
            read += bundles
            lines += [line] * len(bundles)
        frame = _frame(lines, [bundle.row for bundle in read])
        sound = np.array([bundle.is_sound for bundle in read], dtype=np.bool_)
        sound = _once(frame, sound, [bundle.id_field for bundle in read], seen, problems)
        yield UncheckedRows(frame, [bundle.row for bundle in read], sound)


def _once(
    frame: pl.DataFrame,
    sound: NDArray[np.bool_],
    id_fields: list[str],
    seen: dict[str, int],
    problems: RowFaults,
) -> NDArray[np.bool_]:
    """Refuse ids that came before; ``seen`` has the line of each so far."""
    once, ids, lines = sound.copy(), frame["bundle_id"].to_list(), frame["line"].to_list()
    for row in np.flatnonzero(sound).tolist():
        name, line = ids[row], lines[row]
        if name in seen:
            once[row] = False
            problems.add(line, id_fields[row], "duplicate id", f"{quoted(name)} is also in line {seen[name]}")
        else:
            seen[name] = line
    return once


def _frame(lines: list[int], rows: list[Row]) -> pl.DataFrame:
    columns: dict[str, Any] = {
        "line": lines,
        "bundle_id": [row["bundle_id"] for row in rows],
        "anchor": [plain(row["anchor"]) for row in rows],
        "positive": [plain(row["positive"]) for row in rows],
        "negatives": _lists([row["negatives"] for row in rows]),
        "tier": [row["tier"] for row in rows],
    }
    return pl.DataFrame(columns, schema=BATCH_SCHEMA)


def _lists(rows: list[list[str | Row]]) -> pl.Series:
    # One column of all texts, cut up: Polars takes several times as long over a list of lists.
    owners = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    texts = pl.Series("negatives", [plain(text) for row in rows for text in row], dtype=pl.String)
    gathered = texts.to_frame().with_columns(row=owners).group_by("row", maintain_order=True).agg("negatives")
    every = pl.DataFrame({"row": np.arange(len(rows))})
    joined = every.join(gathered, on="row", how="left", maintain_order="left")["negatives"]
    return joined.fill_null(pl.Series([[]], dtype=pl.List(pl.String)))
