"""One score a writer and unit out of several sources of evidence, and writers compared by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Any

import numpy as np
import polars as pl

from tellapart.core.arrays import F64
from tellapart.core.comparison import Comparison, ComparisonSettings, compare
from tellapart.core.comparison.compare import secondary_family
from tellapart.core.estimate import Estimate
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.scores import ScoreTable
from tellapart.core.stats import clustered_mean, clustered_rate, quantile_estimates
from tellapart.writers.evidence import Evidence
from tellapart.writers.judge_figures import Judging
from tellapart.writers.retrieval_figures import Retrieval
from tellapart.writers.sources import SOURCES

NO_MODEL = "the runs keep no record of a language model that wrote these summaries"
NO_PRICE = "no price was given: build with --price IN,OUT"
COUNTED = "counted, not sampled"
NOT_TIMED = "the run does not keep how long calls took: run it again"

_ROUNDING = 1e-12
_FIGURES = ("score", "low", "high", "missing")


@dataclass(frozen=True)
class WriterResult:
    """One writer of summaries.

    Attributes:
        contrastive: Mean share of items whose target was picked, over matchers; in [0, 1]. ``n`` counts
            units, here as in the next three.
        combined: Weighted mean of the three, in [0, 1], over the units that have all evidence that counts.
        missing: Units without a combined score, by cause.
        cost: Of one summary, in ``currency``; counted, so without an interval.
        latency_s: Median seconds of a summary.
        latency_p95_s: Seconds that 95 % of the summaries took at most.
    """

    name: str
    contrastive: Estimate
    retrieval: Estimate
    judge: Estimate
    combined: Estimate
    missing: dict[str, int]
    cost: Estimate
    cost_total: float | None
    currency: str
    latency_s: Estimate
    latency_p95_s: Estimate


@dataclass(frozen=True)
class Weights:
    """Weights as asked for and over the evidence that there is; both sum to 1.

    Attributes:
        absent: Why other evidence is not there, and which command makes it.
    """

    asked: dict[str, float]
    effective: dict[str, float]
    absent: dict[str, str]


@dataclass(frozen=True)
class NearestChange:
    """The least change of the weights after which another writer is level with the first."""

    writer: str
    moved: float
    weights: dict[str, float]


@dataclass(frozen=True)
class Sensitivity:
    """How the order changes with the weights, were the means of the sources exact.

    Attributes:
        nearest: None where no weights put another writer first.
        alone: By source, the writers in their order by that source alone.
    """

    nearest: NearestChange | None
    alone: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class RankingFigures:
    """Everything that ``writers rank --json`` prints.

    Attributes:
        writers: The best first by their combined score, ties by name; those without one come last.
        comparison: Of the writers by their combined scores; each source alone is the secondary family. None
            where fewer than two have a score.
        sensitivity: None where fewer than two writers have a combined score.
        units: Targets that the combined score is over.
        retrieval: Ranks of the queries; None where nothing was searched.
        judging: Figures of the judges; None without any.
    """

    writers: tuple[WriterResult, ...]
    comparison: Comparison | None
    weights: Weights
    sensitivity: Sensitivity | None
    fingerprint: str
    units: int
    retrieval: Retrieval | None
    judging: Judging | None


@dataclass(frozen=True)
class Combined:
    """Evidence of several sources, unit by unit.

    Attributes:
        weights: Of the sources that count, summing to 1.
    """

    evidence: Mapping[str, Evidence]
    weights: Mapping[str, float]

    @cached_property
    def writers(self) -> tuple[str, ...]:
        """Everybody of whom there is any evidence, in ascending order."""
        return tuple(sorted({name for part in self.evidence.values() for name in part.units["writer"]}))

    @cached_property
    def _joined(self) -> pl.DataFrame:
        """One row a writer and unit that every source that counts was asked about, with figures of each."""
        parts = {name: self.evidence[name].units for name in self.weights}
        first, *others = (part.select("unit", "path").unique() for part in parts.values())
        for other in others:
            first = first.join(other.select("unit"), on="unit", how="semi")
        rows = pl.DataFrame({"writer": self.writers}, schema={"writer": pl.String}).join(first, how="cross")
        for name, part in parts.items():
            figures = part.select("writer", "unit", pl.col(_FIGURES).name.suffix(f"_{name}"))
            rows = rows.join(figures, on=["writer", "unit"], how="left").with_columns(
                pl.col(f"low_{name}").fill_null(0.0),
                pl.col(f"high_{name}").fill_null(1.0),
                pl.when(pl.col(f"score_{name}").is_null())
                .then(pl.col(f"missing_{name}").fill_null("infeasible"))
                .alias(f"missing_{name}"),
            )
        return rows.sort("writer", "unit")

    @cached_property
    def units(self) -> pl.DataFrame:
        """Rows of ``evidence.UNIT_SCHEMA`` of the combined score.

        A score is null where a source that counts has none, with the cause of the first; its bounds are those
        that the others leave.
        """
        sums = {}
        for figure in ("score", "low", "high"):
            rows = self._joined.select(f"{figure}_{name}" for name in self.weights).iter_rows()
            sums[figure] = [None if None in row else _weighted(self.weights, row) for row in rows]
        return self._joined.select(
            "writer",
            "unit",
            "path",
            *(pl.Series(figure, values, dtype=pl.Float64).clip(0.0, 1.0) for figure, values in sums.items()),
            missing=pl.coalesce(f"missing_{name}" for name in self.weights),
        )

    def compared(self, settings: ComparisonSettings, cautions: Sequence[str] = ()) -> Comparison | None:
        """Compare the writers by their combined scores; each source alone is the secondary family.

        None where fewer than two writers have a combined score.
        """
        if self.units.drop_nulls("score")["writer"].n_unique() < 2:
            return None
        alone = pl.concat(
            part.units.with_columns(
                pl.lit(name).alias("evidence"), (pl.lit(f"{name}: ") + pl.col("unit")).alias("unit")
            )
            for name, part in self.evidence.items()
        )
        secondary = secondary_family(_unit_grid(alone), settings, "evidence")
        return replace(compare(_unit_grid(self.units), settings, cautions=cautions), secondary=secondary)

    def source_means(self) -> F64:
        """Means of each source, writer by writer, over the units with a combined score.

        The combined mean of a writer is the weighted sum of its row.
        """
        columns = [f"score_{name}" for name in self.weights]
        scored = self._joined.drop_nulls(columns)
        means = np.full((len(self.writers), len(columns)), np.nan)
        for i, writer in enumerate(self.writers):
            of_writer = scored.filter(writer=writer)
            if of_writer.height:
                means[i] = [fsum(of_writer[name]) / of_writer.height for name in columns]
        return means


def _weighted(weights: Mapping[str, float], values: Sequence[float]) -> float:
    return fsum(weight * value for weight, value in zip(weights.values(), values, strict=True))


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


def writer_result(
    name: str,
    combined: Combined,
    absent: Mapping[str, str],
    record: Mapping[str, Any] | None,
    calls: pl.DataFrame | None,
    summaries: int,
) -> WriterResult:
    """Give the figures of one writer.

    Args:
        name: Of the writer.
        combined: The evidence.
        absent: Why there is none of other sources.
        record: How the writer was asked, if it is a language model.
        calls: How long the calls of all writers took; None where the runs do not keep it.
        summaries: That it wrote.
    """
    nothing = combined.units.clear()
    alone = {
        source: mean_estimate(
            combined.evidence[source].units if source in combined.evidence else nothing,
            name,
            absent.get(source, "this writer is in none of the runs"),
        )
        for source in SOURCES
    }
    causes = combined.units.filter(writer=name)["missing"].drop_nulls().value_counts().sort("missing")
    total = record.get("cost") if record else None
    cost = Estimate(None, None, None, 0, NO_PRICE if record else NO_MODEL)
    if total is not None:
        cost = Estimate(None, None, None, 0, "no summary was written")
        if summaries:
            cost = Estimate(total / summaries, None, None, summaries, COUNTED)
    median = p95 = Estimate(None, None, None, 0, NOT_TIMED if record else NO_MODEL)
    if record and calls is not None:
        seconds = calls.filter(writer=name)["seconds"].drop_nulls().to_numpy()
        median, p95 = quantile_estimates(seconds, (0.5, 0.95))
    return WriterResult(
        name=name,
        **alone,
        combined=mean_estimate(combined.units, name, "no unit has all evidence that counts"),
        missing=dict(causes.iter_rows()),
        cost=cost,
        cost_total=total,
        currency="USD",
        latency_s=median,
        latency_p95_s=p95,
    )


def sensitivity(writers: Sequence[str], weights: Mapping[str, float], means: F64) -> Sensitivity | None:
    """Find how the order of writers hangs on the weights."""
    scored = [i for i, row in enumerate(means) if not np.isnan(row).any()]
    names, means = [writers[i] for i in scored], means[scored]
    if len(names) < 2:
        return None
    combined = means @ np.array(list(weights.values()))
    first = min(range(len(names)), key=lambda i: (-combined[i], names[i]))
    changes = [
        NearestChange(names[i], *shift)
        for i in range(len(names))
        if i != first and (shift := least_shift(weights, (means[first] - means[i]).tolist())) is not None
    ]
    return Sensitivity(
        nearest=min(changes, key=lambda change: (change.moved, change.writer), default=None),
        alone={
            source: tuple(sorted(names, key=lambda name: (-means[names.index(name), k], name)))
            for k, source in enumerate(weights)
        },
    )


def least_shift(
    weights: Mapping[str, float], ahead: Sequence[float]
) -> tuple[float, dict[str, float]] | None:
    """Find the least weight that must move from some sources to others until a lead is gone."""
    shifted = dict(weights)
    leads = dict(zip(weights, ahead, strict=True))
    lead = sum(shifted[name] * leads[name] for name in shifted)
    if lead <= _ROUNDING:
        return 0.0, shifted
    to = min(leads, key=lambda name: (leads[name], name))
    moved = 0.0
    for name in sorted(leads, key=lambda name: (-leads[name], name)):
        gain = leads[name] - leads[to]
        if gain <= 0:
            break
        step = min(shifted[name], lead / gain)
        shifted[name], shifted[to] = shifted[name] - step, shifted[to] + step
        lead, moved = lead - step * gain, moved + step
        if lead <= _ROUNDING:
            return moved, shifted
    return None
