"""Evidence about writers, unit by unit: the one frame into which every source is brought."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import polars as pl

EVIDENCE = pl.Schema(
    {
        **dict.fromkeys(("writer", "unit", "path"), pl.String),
        **dict.fromkeys(("score", "low", "high"), pl.Float64),
        "missing": pl.String,
    }
)
"""One row a writer and unit: ``score`` in [0, 1], or null with its cause in ``missing``.

``low`` and ``high`` are the score if everything missing in it were 0, or 1.
"""

_UNIT = ("writer", "unit", "path")


def group_means(
    rows: pl.DataFrame, keys: Sequence[str], columns: Sequence[str], *, complete: bool = False
) -> pl.DataFrame:
    """Give the mean of each group, which no order of the rows changes; groups in ascending order.

    Nulls are left out, or with ``complete`` make the mean null. A column ``missing`` gives the first cause by
    name where the first column has no mean.
    """
    others = [pl.col("missing").drop_nulls().min()] if "missing" in rows.columns else []
    groups = rows.group_by(list(keys)).agg(*columns, *others).sort(list(keys))
    means = groups.with_columns(
        pl.Series(name, [_mean(values, complete) for values in groups[name].to_list()], dtype=pl.Float64)
        for name in columns
    )
    if not others:
        return means
    return means.with_columns(pl.when(pl.col(columns[0]).is_null()).then("missing").alias("missing"))


def _mean(values: Sequence[float | None], complete: bool) -> float | None:
    present = [value for value in values if value is not None]
    if not present or (complete and len(present) < len(values)):
        return None
    return fsum(present) / len(present)


def with_bounds(rows: pl.DataFrame) -> pl.DataFrame:
    """Bound each score in [0, 1]: itself, or 0 and 1 where it is missing."""
    return rows.with_columns(low=pl.col("score").fill_null(0.0), high=pl.col("score").fill_null(1.0))


def matcher_units(rows: pl.DataFrame) -> pl.DataFrame:
    """Give a score for each unit from those of parts, such as items or queries, under several matchers.

    A part counts by the mean over its matchers, and only where all of them have a score.
    """
    figures = ("score", "low", "high")
    by_matcher = group_means(with_bounds(rows), [*_UNIT, "part", "matcher"], figures)
    parts = group_means(by_matcher, [*_UNIT, "part"], figures, complete=True)
    return group_means(parts, _UNIT, figures).select(EVIDENCE.names())
