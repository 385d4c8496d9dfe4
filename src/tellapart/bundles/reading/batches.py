"""Eval files as frames of bundles, a batch at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from tellapart.bundles.reading.problems import Problems

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


def read_batches(path: Path, problems: Problems) -> Iterator[pl.DataFrame]:
    """Read an eval file, never whole.

    Args:
        path: JSON Lines or Parquet, in any of the forms of ``docs/bundles.md``.
        problems: Gets every bad row, which is left out.

    Yields:
        Frames of ``BATCH_SCHEMA``, in the order of the file.

    Raises:
        InputError: The file cannot be read at all.
    """
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    yield pl.DataFrame(
        {
            "line": range(1, len(rows) + 1),
            **{name: [row.get(name) for row in rows] for name in BATCH_SCHEMA if name != "line"},
        },
        schema=BATCH_SCHEMA,
    )
