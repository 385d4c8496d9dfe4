"""Eval files as frames of bundles, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, starmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic_core import to_json

from tellapart.bundles.reading.files import Columns, Numbered, read_pieces, renamed, rows_of, without_header
from tellapart.bundles.reading.forms import (
    BUNDLES,
    TIER_KEYS,
    TRIPLETS,
    Form,
    Row,
    form_of_table,
    names_of,
    negative_columns,
    plain,
    unify,
)
from tellapart.bundles.tier_names import ALIASES, TIERS
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


class UncheckedRows(NamedTuple):
    """Some rows of a file, as far as bundles could be made of them, and which of them can be used.

    ``rows`` are the same with everything they hold; empty where ``frame`` holds all of it.
    """

    frame: pl.DataFrame
    rows: list[Row]
    sound: NDArray[np.bool_]


Described = tuple[pl.DataFrame, list[Row]]
"""A batch and what its rows say about their bundles besides the texts; no rows where that is nothing."""


def read_batches(path: Path, problems: RowFaults) -> Iterator[pl.DataFrame]:
    """Read an eval file, never whole."""
    return (frame for frame, _ in _sound(read_unchecked(path, problems)))


def read_described(
    path: Path, problems: RowFaults, rename: Mapping[str, str] | None = None
) -> Iterator[Described]:
    """Read an eval file with everything it holds; ``rename`` gives fields of it the names of a form."""
    return _sound(read_unchecked(path, problems, described=True, rename=rename))


def read_bundles(
    path: Path, problems: RowFaults, rename: Mapping[str, str] | None = None
) -> Iterator[Bundle]:
    """Read an eval file, a bundle at a time."""
    return chain.from_iterable(starmap(bundles_of, read_described(path, problems, rename)))


def keep_lines(batches: Iterable[Described], lines: list[bytes]) -> Iterator[Described]:
    """Pass batches on, and keep each bundle with everything it holds as a line of JSON."""
    for frame, rows in batches:
        lines += (to_json(bundle.to_row()) for bundle in bundles_of(frame, rows))
        yield frame, rows


def bundles_of(frame: pl.DataFrame, rows: Sequence[Row]) -> Iterator[Bundle]:
    """The bundles of a batch with everything they hold."""
    return map(Bundle.from_row, rows or frame.iter_rows(named=True))


def read_unchecked(
    path: Path, problems: RowFaults, *, described: bool = False, rename: Mapping[str, str] | None = None
) -> Iterator[UncheckedRows]:
    """Read an eval file with its bad rows, to see what is wrong with them."""
    seen, rows = dict[str, int](), 0
    pieces = read_pieces(path, problems, rename or ())
    first = next(pieces, [])
    pieces = chain([first], pieces)
    form = check_columns(first.frame.schema, path) if isinstance(first, Columns) and not rename else None
    if form is None:
        of_file = renamed(rows_of(pieces), rename, path) if rename else rows_of(pieces)
        batches = _by_rows(without_header(of_file, problems), problems, seen)
    else:
        tables = (piece for piece in pieces if isinstance(piece, Columns))
        batches = _parquet(tables, form, problems, seen, described=described)
    for batch in batches:
        rows += batch.frame.height
        if batch.frame.height:
            yield batch
    if not rows and not problems.counts:
        raise InputError("there is no bundle in this file", where=path)


def _sound(batches: Iterable[UncheckedRows]) -> Iterator[Described]:
    for batch in batches:
        if batch.sound.all():
            yield batch.frame, batch.rows
        elif batch.sound.any():
            rows = [batch.rows[i] for i in np.flatnonzero(batch.sound)] if batch.rows else []
            yield batch.frame.filter(batch.sound), rows


def _parquet(
    pieces: Iterable[Columns], form: Form, problems: RowFaults, seen: dict[str, int], *, described: bool
) -> Iterator[UncheckedRows]:
    for piece in pieces:
        batch = _by_columns(piece.frame, form, piece.first, described=described)
        if batch is None:
            yield from _by_rows([piece.rows()], problems, seen)
        else:
            sound = np.ones(batch.height, dtype=np.bool_)
            once = _once(batch, sound, ["bundle_id"] * batch.height, seen, problems)
            yield UncheckedRows(batch, [], once)


def check_columns(schema: pl.Schema, path: Path) -> Form:
    """Recognise the form of a table by its columns; refuses missing and unknown ones."""
    form = form_of_table(schema)
    for name, cause, detail in names_of(form, tuple(schema))[1]:
        raise InputError(
            f"column {name!r}: {cause}{detail and f', {detail}'}",
            where=path,
            next_step="Rename it with 'tellapart bundles convert IN OUT --rename NAME=FIELD', drop it, "
            "or keep it under 'metadata'",
        )
    return form


def _by_columns(frame: pl.DataFrame, form: Form, first: int, *, described: bool) -> pl.DataFrame | None:
    """Columns of sound strings as ``BATCH_SCHEMA`` has them; None where rows must be looked at one by one."""
    schema, names = frame.schema, names_of(form, tuple(frame.columns))[0]
    columns = negative_columns(tuple(schema))
    if form is TRIPLETS:
        negatives, kinds = pl.concat_list(columns).list.drop_nulls(), {schema[name] for name in columns}
    else:
        negatives, kinds = pl.col(names.negatives), {schema[names.negatives]}
    texts = {schema[names.anchor], schema[names.positive], schema.get("tier", pl.String)}
    id_kind = schema.get(names.bundle_id, pl.String)
    is_plain = (
        form in (BUNDLES, TRIPLETS)
        and texts <= {pl.String, pl.Null}
        and kinds <= ({pl.List(pl.String)} if form is BUNDLES else {pl.String, pl.Null})
        and (id_kind in (pl.String, pl.Null) or id_kind.is_integer())
        and not ({"score", "scores"} & set(schema))
        and not _metadata_counts(frame, described=described)
    )
    if not is_plain:
        return None
    line = pl.int_range(first, first + frame.height, dtype=pl.Int64)
    given = [pl.col(names.bundle_id).cast(pl.String)] if names.bundle_id in schema else []
    tier = pl.col("tier") if "tier" in schema else pl.lit(None)
    batch = frame.select(
        line.alias("line"),
        pl.coalesce(*given, line.cast(pl.String)).alias("bundle_id"),
        pl.col(names.anchor).cast(pl.String).alias("anchor"),
        pl.col(names.positive).cast(pl.String).alias("positive"),
        negatives.cast(pl.List(pl.String)).alias("negatives"),
        tier.cast(pl.String).replace(ALIASES).alias("tier"),
    )
    return batch if _is_sound(batch) else None


def _is_sound(batch: pl.DataFrame) -> bool:
    """Whether no row has a fault; which one it has is found row by row."""
    faulty = pl.all().is_null() | (pl.all().str.strip_chars() == "")
    listed = batch.select("positive", "negatives").explode("negatives")
    return not (
        any(batch.select("bundle_id", "anchor", "positive").select(faulty.any()).row(0))
        or any(listed.select(faulty.any()).row(0))
        or (listed["negatives"] == listed["positive"]).any()
        # Where all lists are empty, Polars makes no rows of them.
        or (batch["negatives"].list.len() == 0).any()
        or not batch["tier"].drop_nulls().is_in(TIERS).all()
    )


def _metadata_counts(frame: pl.DataFrame, *, described: bool) -> bool:
    """Whether the metadata has anything that is wanted: a tier, or any field where bundles are described."""
    kind = frame.schema.get("metadata")
    if kind is None:
        return False
    if kind == pl.String:
        keys = "|".join(TIER_KEYS)
        has_tier = bool(frame["metadata"].str.contains(f'"({keys})"').any())
        return has_tier or (described and frame["metadata"].null_count() < frame.height)
    return described or not isinstance(kind, pl.Struct) or any(f.name in TIER_KEYS for f in kind.fields)


def _by_rows(
    pieces: Iterable[list[Numbered]], problems: RowFaults, seen: dict[str, int]
) -> Iterator[UncheckedRows]:
    for piece in pieces:
        read = [(line, bundle) for line, row in piece for bundle in unify(row, line, problems)]
        rows = [bundle.row for _, bundle in read]
        frame = _frame([line for line, _ in read], rows)
        sound = np.array([bundle.is_sound for _, bundle in read], dtype=np.bool_)
        yield UncheckedRows(frame, rows, _once(frame, sound, [b.id_field for _, b in read], seen, problems))


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
