"""One score a writer and unit out of several sources of evidence, and writers compared by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum

import numpy as np
import polars as pl

from tellapart.core.arrays import F64
from tellapart.core.comparison import Comparison, ComparisonSettings, compare
from tellapart.core.comparison.compare import secondary_family
from tellapart.core.estimate import Estimate
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.scores import ScoreTable
from tellapart.core.stats import clustered_mean, clustered_rate
from tellapart.writers.evidence import EVIDENCE


def combine(evidence: Mapping[str, pl.DataFrame], weights: Mapping[str, float]) -> pl.DataFrame:
    """Weigh the sources that count, over the units that each of them was asked about.

    A score is null where a source has none, with the cause of the first; its bounds are those that the others
    leave.

    Args:
        evidence: Rows of ``EVIDENCE`` by source; the writers are those of all sources.
        weights: Of the sources that count, summing to 1.

    Returns:
        Rows of ``EVIDENCE``, and the score by each source in a column of its name.
    """
    writers = pl.concat(part.select("writer") for part in evidence.values()).unique()
    first, *others = (evidence[name].select("unit", "path").unique() for name in weights)
    for other in others:
        first = first.join(other.select("unit"), on="unit", how="semi")
    rows = writers.join(first, how="cross").sort("writer", "unit")
    parts = []
    for name in weights:
        part = rows.join(
            evidence[name].drop("path"), on=["writer", "unit"], how="left", maintain_order="left"
        )
        cause = pl.when(pl.col("score").is_null()).then(pl.col("missing").fill_null("infeasible"))
        parts.append(
            part.with_columns(pl.col("low").fill_null(0.0), pl.col("high").fill_null(1.0), missing=cause)
        )
    figures = {
        figure: [_weighted(weights, values) for values in zip(*(part[figure] for part in parts), strict=True)]
        for figure in ("score", "low", "high")
    }
    return rows.with_columns(
        *(pl.Series(name, values, dtype=pl.Float64).clip(0.0, 1.0) for name, values in figures.items()),
        pl.coalesce(part["missing"] for part in parts).alias("missing"),
        *(part["score"].alias(name) for name, part in zip(weights, parts, strict=True)),
    )


def _weighted(weights: Mapping[str, float], values: Sequence[float | None]) -> float | None:
    if None in values:
        return None
    return fsum(weight * (value or 0.0) for weight, value in zip(weights.values(), values, strict=True))


def compared(
    combined: pl.DataFrame,
    evidence: Mapping[str, pl.DataFrame],
    settings: ComparisonSettings,
    cautions: Sequence[str] = (),
) -> Comparison | None:
    """Compare the writers by their combined scores; each source alone is the secondary family.

    None where fewer than two writers have a combined score.
    """
    if combined.drop_nulls("score")["writer"].n_unique() < 2:
        return None
    alone = pl.concat(
        part.with_columns(evidence=pl.lit(name), unit=pl.format(f"{name}: {{}}", "unit"))
        for name, part in evidence.items()
    )
    secondary = secondary_family(_unit_grid(alone), settings, "evidence")
    primary = compare(_unit_grid(combined.select(EVIDENCE.names())), settings, cautions=cautions)
    return replace(primary, secondary=secondary)


def _unit_grid(units: pl.DataFrame) -> ScoreGrid:
    """Lay units out as a grid of scores, with the bounds that they have; further columns are strata."""
    rows = units.rename({"writer": "model", "unit": "item", "path": "cluster"})
    grid = score_grid(ScoreTable.from_frame(rows.drop("low", "high")))
    row = {name: i for i, name in enumerate(grid.models)}
    column = {name: i for i, name in enumerate(grid.items)}
    places = ([row[name] for name in rows["model"]], [column[name] for name in rows["item"]])
    low, high = grid.low.copy(), grid.high.copy()
    low[places], high[places] = rows["low"].to_numpy(), rows["high"].to_numpy()
    return replace(grid, low=low, high=high)


def source_means(combined: pl.DataFrame, writers: Sequence[str], sources: Sequence[str]) -> F64:
    """Means of each source over the units with a combined score; shape (writers, sources).

    The combined mean of a writer is the weighted sum of its row.
    """
    scored = combined.drop_nulls("score")
    means = np.full((len(writers), len(sources)), np.nan)
    for i, writer in enumerate(writers):
        rows = scored.filter(writer=writer)
        if rows.height:
            means[i] = [fsum(rows[name]) / rows.height for name in sources]
    return means


def mean_estimate(units: pl.DataFrame, writer: str, absent: str) -> Estimate:
    """Estimate a writer's mean over units, clustered on the file and cut to [0, 1]."""
    of_writer = units.filter(writer=writer).sort("unit")
    scored = of_writer.drop_nulls("score")
    if not scored.height:
        causes = of_writer["missing"].drop_nulls().unique().sort().to_list()
        reason = f"no unit has a score: {', '.join(causes)}" if causes else absent
        return Estimate(None, None, None, 0, reason)
    values, paths = scored["score"].to_numpy(), scored["path"].to_numpy()
    # Values that are all 0 or all 1 do not vary; a rate knows how sure that is.
    estimator = clustered_rate if values.min() == values.max() in (0.0, 1.0) else clustered_mean
    mean = estimator(values, paths)
    low, high = mean.interval.within(0.0, 1.0) if mean.interval else (None, None)
    return Estimate(mean.value, low, high, mean.n, mean.reason)
