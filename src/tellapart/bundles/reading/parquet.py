"""Parquet, some thousand rows at a time; columns of plain strings are read without looking at each row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import methodcaller
from pathlib import Path

import polars as pl

from tellapart.bundles.reading.forms import (
    BUNDLES,
    TIER_KEYS,
    TRIPLETS,
    Form,
    form_of,
    names_of,
    negative_columns,
)
from tellapart.bundles.tier_names import ALIASES, TIERS
from tellapart.errors import InputError
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
    """Recognise the form of a table by its columns; refuses missing and unknown ones."""
    form = form_of(schema)
    for name, cause, detail in names_of(form, tuple(schema))[1]:
        raise InputError(
            f"column {name!r}: {cause}{detail and f', {detail}'}",
            where=path,
            next_step="Rename it with 'tellapart bundles convert IN OUT --rename NAME=FIELD', drop it, "
            "or keep it under 'metadata'",
        )
    return form


def plain_batch(frame: pl.DataFrame, form: Form, first: int, *, described: bool) -> pl.DataFrame | None:
    """Columns of strings as ``BATCH_SCHEMA`` has them; None where rows must be looked at one by one."""
    schema, names = frame.schema, names_of(form, tuple(frame.columns))[0]
    columns = negative_columns(tuple(schema)) if form is TRIPLETS else ()
    if form is TRIPLETS:
        negatives = pl.concat_list(columns).list.drop_nulls()
        kinds = {schema[name] for name in columns}
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


def _is_sound(batch: pl.DataFrame) -> bool:
    """Whether no row has a fault; which one it has is found row by row."""
    texts = batch.select("bundle_id", "anchor", "positive")
    if sum(texts.null_count().row(0)) or batch["negatives"].null_count():
        return False
    listed = batch.select("positive", "negatives").explode("negatives")
    blank = pl.all().str.strip_chars() == ""
    return not (
        (batch["negatives"].list.len() == 0).any()
        or listed["negatives"].null_count()
        or (listed["negatives"] == listed["positive"]).any()
        or any(texts.select(blank.any()).row(0))
        or (listed["negatives"].str.strip_chars() == "").any()
        or not batch["tier"].drop_nulls().is_in(TIERS).all()
    )
