"""Converting an eval from one form to another: a row of ``TARGETS`` for each form that is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl
from pydantic_core import to_json

from tellapart.bundles.reading import read_bundles
from tellapart.bundles.reading.forms import Row
from tellapart.bundles.results import check_outs
from tellapart.core.bundle import Bundle, Text
from tellapart.core.record import Record
from tellapart.errors import InputError, UsageError, near_match
from tellapart.files import RowFaults, replacing

_SUFFIXES = (".jsonl", ".ndjson", ".json", ".parquet")


class Converted(Record):
    """What was written, what the form cannot hold, by how many bundles had it, and bad rows by cause."""

    bundles: int
    left_out: dict[str, int]
    dropped: dict[str, int]
    files: tuple[Path, ...]


def parse_rename(text: str) -> tuple[str, str]:
    """Read ``--rename NAME=FIELD``: what the file calls NAME is FIELD of a form."""
    name, _, field = text.partition("=")
    if not name or not field:
        raise UsageError(
            f"--rename is {text!r}, expected NAME=FIELD",
            next_step="Write such as --rename question_text=anchor",
        )
    return name, field


def convert(
    source: Path,
    out: Path,
    to: str,
    *,
    skip_invalid: bool = False,
    rename: Mapping[str, str] | None = None,
) -> Converted:
    """Convert an eval; ``rename`` gives fields of the file the names that a form has."""
    if to not in TARGETS:
        raise UsageError(f"unknown form {to!r}", next_step=near_match(to, TARGETS))
    check_outs([out], [source])
    if out.suffix.lower() not in _SUFFIXES:
        raise UsageError(
            f"unknown kind of file {out.suffix!r}",
            where=out,
            next_step="End its name in .jsonl or .parquet",
        )
    make_rows, holds = TARGETS[to]
    problems, has = RowFaults(source), Counter[str]()

    def counted() -> Iterator[Bundle]:
        for bundle in read_bundles(source, problems, rename):
            has.update(["bundles", *_beside_texts(bundle)])
            yield bundle

    with replacing(out) as temporary:
        rows = make_rows(counted())
        first = next(rows, None)
        if first is None:
            if not skip_invalid:
                problems.refuse()
            raise InputError("no bundle is left to be written", where=source)
        rows = chain([first], rows)
        if out.suffix.lower() == ".parquet":
            _as_table([*rows]).write_parquet(temporary)
        else:
            write_json_lines(temporary, rows)
        if not skip_invalid:
            problems.refuse()
    left_out = {name: n for name, n in sorted(has.items()) if name not in {*holds, "bundles"}}
    return Converted(bundles=has["bundles"], left_out=left_out, dropped=dict(problems.counts), files=(out,))


def own_rows(bundles: Iterable[Bundle]) -> Iterator[Row]:
    """Our own form."""
    return (bundle.to_row() for bundle in bundles)


def triplets_rows(bundles: Iterable[Bundle]) -> Iterator[Row]:
    """``anchor``, ``positive``, ``negative_1`` …: what losses of sentence-transformers take."""
    size = None
    for bundle in bundles:
        size = size or len(bundle.negatives)
        if len(bundle.negatives) != size:
            raise InputError(
                f"bundle {bundle.bundle_id!r} has {len(bundle.negatives)} negatives, the first one {size}, "
                "but a column for each needs as many in all",
                next_step="Write one row for each negative with --to triplet",
            )
        row = {"anchor": bundle.anchor.text, "positive": bundle.positive.text}
        for i, negative in enumerate(bundle.negatives, start=1):
            row["negative" if size == 1 else f"negative_{i}"] = negative.text
        yield row


def triplet_rows(bundles: Iterable[Bundle]) -> Iterator[Row]:
    """``anchor``, ``positive``, ``negative``, a row for each negative: what triplet evaluators take."""
    for bundle in bundles:
        for negative in bundle.negatives:
            yield {
                "anchor": bundle.anchor.text,
                "positive": bundle.positive.text,
                "negative": negative.text,
            }


def reranking_rows(bundles: Iterable[Bundle]) -> Iterator[Row]:
    """``query``, ``positive``, ``negative``: bundles of one anchor, tier and list of negatives in one row.

    All rows are held in memory. ``bundle_ids`` keeps the ids; evaluators of rerankers pass over it.
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


Rows = Callable[[Iterable[Bundle]], Iterator[Row]]

TARGETS: Mapping[str, tuple[Rows, set[str]]] = {
    "jsonl": (own_rows, {"bundle_id", "tier", "metadata", "event_id, sense, source"}),
    "triplets": (triplets_rows, set()),
    "triplet": (triplet_rows, set()),
    "reranking": (reranking_rows, {"bundle_id", "tier"}),
}
"""What makes the rows of a form, and what a bundle may have beside its texts that they can hold."""


def _beside_texts(bundle: Bundle) -> Iterator[str]:
    """What a bundle has beside its texts."""
    yield "bundle_id"
    if bundle.tier is not None:
        yield "tier"
    if bundle.metadata:
        yield "metadata"
    if any(text != Text(text.text) for text in (bundle.anchor, bundle.positive, *bundle.negatives)):
        yield "event_id, sense, source"


def _as_table(rows: Iterable[Row]) -> pl.DataFrame:
    """Rows as a table: metadata become JSON, and where one text is an object all of them are."""
    cells = [
        row | ({"metadata": to_json(row["metadata"]).decode()} if "metadata" in row else {}) for row in rows
    ]
    if any(isinstance(text, dict) for row in cells for text in _texts(row)):
        for row in cells:
            row["anchor"], row["positive"], *row["negatives"] = map(_object, _texts(row))
    names = dict.fromkeys(name for row in cells for name in row)
    return pl.DataFrame([{name: row.get(name) for name in names} for row in cells], infer_schema_length=None)


def _texts(row: Row) -> list[str | Row]:
    return [row["anchor"], row["positive"], *row["negatives"]] if "negatives" in row else []


def _object(text: str | Row) -> Row:
    given = {"text": text} if isinstance(text, str) else text
    return {name: given.get(name) for name in ("text", "event_id", "sense", "source")}


def write_json_lines(path: Path, rows: Iterable[Row]) -> None:
    """Write one object a line."""
    with path.open("wb") as file:
        for row in rows:
            file.write(to_json(row) + b"\n")
