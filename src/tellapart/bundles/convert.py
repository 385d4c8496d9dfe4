"""Converting an eval from one form to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

import polars as pl
from pydantic_core import to_json

from tellapart.bundles.reading import read_bundles
from tellapart.bundles.reading.forms import Row
from tellapart.bundles.results import check_outs
from tellapart.bundles.targets import TARGETS
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
