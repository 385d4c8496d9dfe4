"""Items that were asked several times count once, by the mean over their answers."""

from __future__ import annotations

import polars as pl

from tellapart.core.stats import mean_once

MEANS = ("correct", "top3", "top5", "expected_rank", "reciprocal_rank", "confidence_gap")
_FACTS = ("level", "path", "language", "unit_type", "options")


def once(rows: pl.DataFrame) -> pl.DataFrame:
    """Give each item of each model one row.

    Args:
        rows: Of ``ITEM_SCHEMA``, under one condition; any number of replicates an item.

    Returns:
        One row a model and item, in the order in which they are first met: ``model``, ``item``, ``level``,
        ``path``, ``language``, ``unit_type``, ``options``; the columns of ``MEANS``, each the mean over the
        scored replicates, null where there is none; ``low`` and ``high``, what ``correct`` would be if all
        replicates without a score were wrong, or right; ``tied``, whether another option tied with the
        target in any.
    """
    counted = rows.with_columns(
        (pl.col("ties") > 0).fill_null(False).alias("tied"),
        pl.col("correct").fill_null(0.0).alias("low"),
        pl.col("correct").fill_null(1.0).alias("high"),
    ).select("model", "item", *_FACTS, *MEANS, "low", "high", "tied")
    if not counted.select("model", "item").is_duplicated().any():
        return counted
    # Lists, whose means are rounded once: sums by Polars differ with the threads that it cuts them for.
    listed = counted.group_by("model", "item", maintain_order=True).agg(
        *(pl.first(name) for name in _FACTS),
        *(pl.col(name).drop_nulls() for name in MEANS),
        pl.col("low", "high"),
        pl.any("tied"),
    )
    return listed.with_columns(
        pl.Series(name, [mean_once(values) for values in listed[name].to_list()], dtype=pl.Float64)
        for name in (*MEANS, "low", "high")
    )


def share_of_item(rows: pl.DataFrame) -> pl.Series:
    """What each row weighs, so that all rows of a model's item weigh 1 together."""
    return rows.select(1 / pl.len().over("model", "item")).to_series()
