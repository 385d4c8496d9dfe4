"""Evidence about writers of summaries, with what ranked their summaries crossed.

Each writer's summary meets the same questions and the same matchers. So writers are compared by the mean over
the matchers, and a question counts only where all of them have a score.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tellapart.core.stats import mean_once

UNIT = ("writer", "unit", "path")
"""What a unit's row is known by."""

_FIGURES = ("score", "low", "high")


def matcher_answers(items: pl.DataFrame, score: str = "correct") -> pl.DataFrame:
    """Answers to a benchmark, as rows of evidence about who wrote the summaries."""
    return items.filter(pl.col("condition") == "summary").select(
        pl.col("source").alias("writer"),
        # An item's id is its level and the id of its target.
        pl.col("item").str.replace(r"^[^/]*/", "").alias("unit"),
        "path",
        pl.col("item").alias("part"),
        "matcher",
        pl.col(score).alias("score"),
        "missing",
    )


def cross_matchers(rows: pl.DataFrame) -> pl.DataFrame:
    """Give each part of the evidence, such as an item, the mean over the matchers."""
    bounded = rows.with_columns(
        pl.col("score").fill_null(0.0).alias("low"), pl.col("score").fill_null(1.0).alias("high")
    )
    return _means(_means(bounded, [*UNIT, "part", "matcher"]), [*UNIT, "part"], complete=True)


def _means(rows: pl.DataFrame, keys: Sequence[str], *, complete: bool = False) -> pl.DataFrame:
    """Mean of each group, rounded once, so that the order of the rows does not matter."""
    groups = rows.group_by(keys).agg(*_FIGURES, pl.col("missing").drop_nulls().min()).sort(keys)
    means = {name: [_mean(values, complete) for values in groups[name].to_list()] for name in _FIGURES}
    return groups.with_columns(
        pl.Series(name, values, dtype=pl.Float64) for name, values in means.items()
    ).with_columns(pl.when(pl.col("score").is_null()).then("missing").alias("missing"))


def _mean(values: Sequence[float | None], complete: bool) -> float | None:
    scored = [value for value in values if value is not None]
    return None if complete and len(scored) < len(values) else mean_once(scored)
