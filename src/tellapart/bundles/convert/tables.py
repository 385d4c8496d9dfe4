"""Rows written as JSON Lines or as Parquet, some thousand at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import polars as pl
from polars.io.plugins import register_io_source
from pydantic_core import to_json

from tellapart.bundles.reading.forms import Row
from tellapart.errors import UsageError

_ROWS = 8_192
_JSON_LINES = (".jsonl", ".ndjson", ".json")
PARQUET = ".parquet"


def check_suffix(path: Path) -> None:
    """Refuse a name that does not say what to write.

    Raises:
        UsageError: It is neither JSON Lines nor Parquet.
    """
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


def write_parquet(path: Path, rows: Iterator[Row], table: Callable[[list[Row]], pl.DataFrame]) -> None:
    """Write a table whose rows are never all in memory.

    Args:
        path: Where to.
        rows: At least one.
        table: Makes a frame of some rows, always with the same columns.
    """
    first = table(list(islice(rows, _ROWS)))
    raised: list[Exception] = []

    def frames(*_: object) -> Iterator[pl.DataFrame]:
        # What a source raises reaches us as Polars' own error, without its kind: it is kept for later.
        try:
            yield first
            while piece := list(islice(rows, _ROWS)):
                yield table(piece)
        except Exception as error:  # noqa: BLE001
            raised.append(error)

    register_io_source(frames, schema=first.schema).sink_parquet(path, maintain_order=True)
    if raised:
        raise raised[0]
