"""Bundles as rows of each form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from pydantic_core import to_json

from tellapart.bundles.reading.forms import Row
from tellapart.core.bundle import Bundle, Text
from tellapart.errors import InputError, UsageError


@dataclass(frozen=True)
class Target:
    """A form to write.

    Attributes:
        rows: Makes rows of bundles.
        holds: What a bundle may have beside its texts that a row of the form can hold.
    """

    rows: Callable[[Iterable[Bundle]], Iterator[Row]]
    holds: frozenset[str]


def own_rows(bundles: Iterable[Bundle]) -> Iterator[Row]:
    """Our own form."""
    return (bundle.to_row() for bundle in bundles)


def triplet_rows(bundles: Iterable[Bundle]) -> Iterator[Row]:
    """``anchor``, ``positive``, ``negative_1`` … ``negative_n``: what losses of sentence-transformers take.

    Such a loss takes every column for a text, so that there is no other, and none may be empty.
    """
    size = None
    for bundle in bundles:
        size = size or len(bundle.negatives)
        if len(bundle.negatives) != size:
            raise InputError(
                f"bundle {bundle.bundle_id!r} has {len(bundle.negatives)} negatives, the first one {size}, "
                "but a column for each needs as many in all",
                next_step="Write one row for each negative with --to triplet",
            )
        names = ["negative"] if size == 1 else [f"negative_{i}" for i in range(1, size + 1)]
        texts = (text.text for text in bundle.negatives)
        yield {**_pair(bundle), **dict(zip(names, texts, strict=True))}


def single_triplet_rows(bundles: Iterable[Bundle]) -> Iterator[Row]:
    """``anchor``, ``positive``, ``negative``, a row for each negative: what triplet evaluators take."""
    for bundle in bundles:
        for negative in bundle.negatives:
            yield {**_pair(bundle), "negative": negative.text}


def reranking_rows(bundles: Iterable[Bundle]) -> Iterator[Row]:
    """``query``, ``positive``, ``negative``: bundles of one anchor, tier and list of negatives in one row.

    Bundles that differ in their negatives stay apart, since a row has one list for all its positives. A row
    comes where its first bundle was; all rows are held in memory. ``bundle_ids`` keeps the ids; evaluators of
    rerankers pass over it.
    """
    gathered: dict[tuple[Any, ...], Row] = {}
    for bundle in bundles:
        negatives = [text.text for text in bundle.negatives]
        row = gathered.setdefault(
            (bundle.anchor.text, bundle.tier, *negatives),
            {"query": bundle.anchor.text, "positive": [], "negative": negatives, "bundle_ids": []},
        )
        row["positive"].append(bundle.positive.text)
        row["bundle_ids"].append(bundle.bundle_id)
        if bundle.tier is not None:
            row["tier"] = bundle.tier
    yield from gathered.values()


ROW_TARGETS = {
    "jsonl": Target(own_rows, frozenset({"bundle_id", "tier", "metadata", "event_id, sense, source"})),
    "triplets": Target(triplet_rows, frozenset()),
    "triplet": Target(single_triplet_rows, frozenset()),
    "reranking": Target(reranking_rows, frozenset({"bundle_id", "tier"})),
}


def beside_texts(bundle: Bundle) -> set[str]:
    """What a bundle has beside its texts."""
    extras = {"bundle_id"}
    if bundle.tier is not None:
        extras.add("tier")
    if bundle.metadata:
        extras.add("metadata")
    texts: Iterable[Text] = (bundle.anchor, bundle.positive, *bundle.negatives)
    if any(text != Text(text.text) for text in texts):
        extras.add("event_id, sense, source")
    return extras


def as_table(rows: list[Row]) -> pl.DataFrame:
    """Rows as a table; metadata, which is different in each, becomes JSON."""
    objects = any(isinstance(text, dict) for row in rows for text in _texts(row))
    cells = [_cells(row, objects=objects) for row in rows]
    names = dict.fromkeys(name for row in cells for name in row)
    return pl.DataFrame([{name: row.get(name) for name in names} for row in cells], infer_schema_length=None)


def _texts(row: Row) -> list[str | Row]:
    return [row["anchor"], row["positive"], *row["negatives"]] if "negatives" in row else []


def _cells(row: Row, *, objects: bool) -> Row:
    cells = dict(row)
    if "metadata" in row:
        cells["metadata"] = to_json(row["metadata"]).decode()
    if objects:
        cells |= {name: _object(row[name]) for name in ("anchor", "positive")}
        cells["negatives"] = [_object(text) for text in row["negatives"]]
    return cells


def _object(text: str | Row) -> Row:
    given = {"text": text} if isinstance(text, str) else text
    return {name: given.get(name) for name in ("text", "event_id", "sense", "source")}


def _pair(bundle: Bundle) -> Row:
    return {"anchor": bundle.anchor.text, "positive": bundle.positive.text}


_JSON_LINES = (".jsonl", ".ndjson", ".json")
PARQUET = ".parquet"


def check_suffix(path: Path) -> None:
    """Refuse a file name whose suffix is neither JSON Lines nor Parquet."""
    if path.suffix.lower() not in (*_JSON_LINES, PARQUET):
        raise UsageError(
            f"unknown kind of file {path.suffix!r}",
            where=path,
            next_step="End its name in .jsonl or .parquet",
        )


def write_json_lines(path: Path, rows: Iterable[Row]) -> None:
    """Write one object a line."""
    with path.open("wb") as file:
        for row in rows:
            file.write(to_json(row) + b"\n")
