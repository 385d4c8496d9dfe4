"""Parquet, some thousand rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from tellapart.errors import InputError

_ROWS = 16_384


def read_parquet_pieces(path: Path) -> Iterator[tuple[int, pl.DataFrame]]:
    """Read a file.

    Yields:
        Number of the first row, from 1, and the rows as they are.

    Raises:
        InputError: It is no Parquet, or damaged.
    """
    try:
        rows = pl.scan_parquet(path)
        height = int(rows.select(pl.len()).collect().item())
        for start in range(0, height, _ROWS):
            yield start + 1, rows.slice(start, _ROWS).collect()
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"damaged or cut off: not a whole Parquet file ({reason})",
            where=path,
            next_step="Write or copy it again",
        ) from None
