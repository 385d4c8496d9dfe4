"""The column that tells several answers to one item apart, where it has another name than ours."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tellapart.audit.reading.column_names import likely_columns

_ANSWER = ("model", "item", "replicate", "grading")


def distinguishing(frame: pl.DataFrame, keys: Sequence[str], free: Sequence[str]) -> str | None:
    """Give the column, named like seeds or trials, by which rows differ that have the same keys."""
    for name in likely_columns("replicate", list(free)):
        is_complete = not frame[name].dtype.is_nested() and not frame[name].has_nulls()
        if is_complete and not frame.select(*keys, name).is_duplicated().any():
            return name
    return None


def replicate_column(frame: pl.DataFrame, free: Sequence[str]) -> str | None:
    """Find the replicates of a long table that has no column ``replicate``; see `distinguishing`."""
    keys = [name for name in _ANSWER if name in frame.columns]
    if "replicate" in keys or "item" not in keys or not frame.select(keys).is_duplicated().any():
        return None
    return distinguishing(frame, keys, [name for name in free if name not in keys])


def as_numbers(values: pl.Series) -> pl.Series:
    """Give whole numbers as such, and other values by their places in ascending order, from 0."""
    numbers = values.cast(pl.Int64, strict=False)
    is_whole = numbers.null_count() == 0 and (not values.dtype.is_float() or (numbers == values).all())
    return numbers if is_whole else values.rank("dense").cast(pl.Int64) - 1
