"""One score a writer and unit out of several sources of evidence, and writers compared by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

import numpy as np
import polars as pl

from tellapart.core.arrays import F64
from tellapart.core.comparison import Comparison, ComparisonSettings, compare
from tellapart.core.comparison.compare import secondary_family
from tellapart.core.estimate import Estimate
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.scores import ScoreTable
from tellapart.writers.evidence import EVIDENCE
from tellapart.writers.retrieval import Retrieval
from tellapart.writers.verdicts import Judging
from tellapart.writers.weights import NearestChange, Weights


@dataclass(frozen=True)
class WriterResult:
    """One writer of summaries; ``n`` of the first four counts units.

    Attributes:
        contrastive: Mean share of items whose target was picked, over matchers; in [0, 1].
        retrieval: Mean reciprocal rank.
        judge: Mean score by judges, in [0, 1].
        combined: Weighted mean of the three, in [0, 1], over the units that have all evidence that counts.
        missing: Units without a combined score, by cause.
        cost: Of one summary, in dollars; counted, so without an interval.
        cost_total: Of all its summaries, in dollars.
    """

    name: str
    contrastive: Estimate
    retrieval: Estimate
    judge: Estimate
    combined: Estimate
    missing: dict[str, int]
    cost: Estimate
    cost_total: float | None


@dataclass(frozen=True)
class RankingFigures:
    """Everything that ``writers rank --json`` prints.

    Attributes:
        writers: The best first by their combined score, ties by name; those without one come last.
        comparison: Of the writers by their combined scores; each source alone is the secondary family. None
            where fewer than two have a score.
        made_by: By source of evidence, what measured it, such as ``bm25 and tfidf``.
        nearest_change: None where fewer than two writers have a combined score, and where no weights put
            another one first.
        units: Targets that the combined score is over.
    """

    writers: tuple[WriterResult, ...]
    comparison: Comparison | None
    made_by: dict[str, str]
    weights: Weights
    nearest_change: NearestChange | None
    fingerprint: str
    units: int
    retrieval: Retrieval | None
    judging: Judging | None


def combine(evidence: Mapping[str, pl.DataFrame], weights: Mapping[str, float]) -> pl.DataFrame:
    """Weigh the sources that count, over the units that each of them was asked about.

    A score is null where a source has none, with the cause of the first; its bounds are those that the others
    leave. The score by each source stands in a column of its name.
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
