"""Parquet, some thousand rows at a time; columns of plain strings become our own form as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import methodcaller
from pathlib import Path

import polars as pl

from tellapart.bundles.reading.forms import (
    RERANKING,
    TIER_KEYS,
    TRIPLETS,
    Form,
    form_of,
    negative_columns,
    scores_alone,
)
from tellapart.errors import InputError, near_match
from tellapart.files import RowFaults
from tellapart.files.tables import from_parquet

_ROWS = 16_384


def read_parquet_pieces(path: Path) -> Iterator[tuple[int, pl.DataFrame]]:
    """Read a file: the number of the first row of each piece, from 1, and the piece."""

    def rows(query: Callable[[pl.LazyFrame], pl.LazyFrame]) -> pl.DataFrame:
        return from_parquet(path, lambda source: query(pl.scan_parquet(source)).collect())

    height = int(rows(lambda all_rows: all_rows.select(pl.len())).item())
    for start in range(0, height, _ROWS):
        yield start + 1, rows(methodcaller("slice", start, _ROWS))


def check_columns(schema: pl.Schema, path: Path) -> Form:
    """Recognise the form of a table."""
    form = form_of(schema)
    allowed = form.allowed(schema)
    if scored := scores_alone(form, schema):
        name, cause, detail = scored
        raise InputError(f"{cause} beside the column {name!r}: {detail}", where=path)
    for name in form.required:
        if form.spelling(name, schema) not in schema:
            raise InputError(
                f"there is no column {name!r}", where=path, next_step=near_match(name, list(schema))
            )
    unknown = [name for name in schema if name not in allowed]
    if unknown:
        raise InputError(
            f"unknown columns {', '.join(map(repr, unknown))}; known are {', '.join(sorted(allowed))}",
            where=path,
            next_step="Rename them with 'tellapart bundles convert IN OUT --rename NAME=FIELD', drop them, "
            "or keep them under 'metadata'",
        )
    return form


def check_kinds(schema: pl.Schema, form: Form, path: Path) -> bool:
    """Check what kind of values columns hold."""
    if form.name not in _LISTS or (
        form is TRIPLETS and not set(schema) <= _PLAIN | {*negative_columns(schema)}
    ):
        return False
    plain = True
    for name, kind in schema.items():
        if name == "id":
            plain = False
            continue
        listed = name in _LISTS[form.name]
        held = kind.inner if isinstance(kind, pl.List) and listed else kind
        if name == "bundle_id" and kind.is_integer():
            continue
        is_text = name not in ("bundle_id", "bundle_ids", "tier", "metadata")
        if isinstance(held, pl.Struct) and is_text:
            plain = False
        elif name != "metadata" and (held not in (pl.String, pl.Null) or listed != isinstance(kind, pl.List)):
            expected = "lists of strings" if listed else "strings"
            raise InputError(f"column {name!r} holds {kind}, expected {expected}", where=path)
    return plain


def unify_columns(frame: pl.DataFrame, form: Form, first: int, problems: RowFaults) -> pl.DataFrame:
    """Turn rows of any form into rows of our own."""
    absent: dict[str, pl.DataType] = {
        "bundle_id": pl.String(),
        "bundle_ids": pl.List(pl.String()),
        "tier": pl.String(),
    }
    frame = frame.with_columns(
        pl.int_range(first, first + frame.height, dtype=pl.Int64).alias("line"),
        *(pl.lit(None, dtype=kind).alias(name) for name, kind in absent.items() if name not in frame.columns),
    )
    if form is TRIPLETS:
        gathered = pl.concat_list(negative_columns(frame.columns)).list.drop_nulls()
        frame = frame.with_columns(gathered.alias("negatives"))
    if form is RERANKING:
        frame = _each_positive(frame, problems)
    default_id = pl.col("line").cast(pl.String)
    return frame.select(
        pl.col("line"),
        pl.coalesce(pl.col("bundle_id").cast(pl.String), default_id).alias("bundle_id"),
        pl.col("anchor", "positive").cast(pl.String),
        pl.col("negatives").cast(pl.List(pl.String)),
        pl.col("tier").cast(pl.String),
    )


_LISTS: dict[str, set[str]] = {
    "jsonl": {"negatives"},
    "triplets": set(),
    "reranking": {"positive", "negative", "bundle_ids"},
}
"""Columns that hold lists, of the forms that are read by columns."""

_PLAIN = {"bundle_id", "anchor", "positive", "tier", "metadata"}


def tiers_in_metadata(frame: pl.DataFrame) -> bool:
    """Whether any row may have its tier under ``metadata``, where only ``unify`` looks."""
    kind = frame.schema.get("metadata")
    if isinstance(kind, pl.Struct):
        return any(field.name in TIER_KEYS for field in kind.fields)
    if kind != pl.String:
        return False
    keys = "|".join(TIER_KEYS)
    return bool(frame["metadata"].str.contains(f'"({keys})"').any())


def has_metadata(frame: pl.DataFrame) -> bool:
    """Whether rows have metadata that can be read: objects, or all of them JSON of objects."""
    kind = frame.schema.get("metadata")
    if kind == pl.String:
        texts = frame["metadata"].drop_nulls()
        return bool(len(texts)) and bool(texts.str.strip_chars_start().str.starts_with("{").all())
    return isinstance(kind, pl.Struct)


def _each_positive(frame: pl.DataFrame, problems: RowFaults) -> pl.DataFrame:
    positives, ids = frame["positive"].list.len(), frame["bundle_ids"].list.len()
    unusable = (
        (positives.is_null(), "positive", "null field"),
        (positives == 0, "positive", "no positives"),
        ((ids != positives) & (positives > 0), "bundle_ids", "wrong number of ids"),
    )
    usable = pl.repeat(True, frame.height, eager=True)
    for mask, field, cause in unusable:
        bad = mask.fill_null(False)
        usable &= ~bad
        for row in frame.filter(bad).iter_rows(named=True):
            detail = (
                f"{len(row['bundle_ids'])} for {len(row['positive'])} positives"
                if field == "bundle_ids"
                else ""
            )
            problems.add(row["line"], field, cause, detail)
    given = pl.col("bundle_id").cast(pl.String)
    row_id = pl.coalesce(given, pl.col("line").cast(pl.String))
    numbered = (
        pl.when(given.is_not_null() & (pl.len().over("line") == 1))
        .then(given)
        .otherwise(pl.format("{}.{}", row_id, pl.int_range(1, pl.len() + 1).over("line")))
    )
    each = frame.filter(usable).with_columns(
        pl.coalesce("bundle_ids", pl.lit(None, dtype=pl.String).repeat_by(pl.col("positive").list.len()))
    )
    return (
        each.explode("positive", "bundle_ids")
        .with_columns(pl.coalesce("bundle_ids", numbered).alias("bundle_id"))
        .rename({"query": "anchor", "negative": "negatives"})
    )
