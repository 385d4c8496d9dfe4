"""One score per writer and unit out of several sources of evidence, and the writers compared by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import fsum

import numpy as np
import polars as pl

from tellapart.contrastive.ranking.results import SourceAgreement
from tellapart.core.arrays import F64
from tellapart.core.comparison import Comparison, ComparisonSettings, compare
from tellapart.core.comparison.compare import secondary_family
from tellapart.core.estimate import Estimate
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.core.stats import clustered_mean, clustered_rate, kendall_tau_b, pearson

UNIT_SCHEMA = pl.Schema(
    {
        "writer": pl.String,
        "unit": pl.String,
        "path": pl.String,
        "score": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "missing": pl.String,
    }
)
"""One row a writer and unit: ``score`` in [0, 1], or null with its cause in ``missing``.

``low`` and ``high`` are the score if everything missing in it were 0, or 1.
"""


@dataclass(frozen=True)
class Evidence:
    """What one source says of the writers.

    Attributes:
        units: Rows of ``UNIT_SCHEMA``, in any order.
        made_by: What measured it, for people, such as ``bm25 and tfidf``.
        cautions: What to know before it is believed, a sentence each.
        notes: How else it was made, a sentence each.
    """

    units: pl.DataFrame
    made_by: str
    cautions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def without_units(self, names: Sequence[str]) -> Evidence:
        """Leave out what is said of some units."""
        return replace(self, units=self.units.filter(~pl.col("unit").is_in(names)))


@dataclass(frozen=True)
class Combined:
    """Evidence of several sources, unit by unit.

    Attributes:
        weights: Of the sources that count, summing to 1.
        excluded: Items that were left out of the evidence after it was known; see `ScoreNotes`.
    """

    evidence: Mapping[str, Evidence]
    weights: Mapping[str, float]
    excluded: int = 0

    @cached_property
    def writers(self) -> tuple[str, ...]:
        """Everybody of whom there is any evidence, in ascending order."""
        return tuple(
            sorted({name for evidence in self.evidence.values() for name in evidence.units["writer"]})
        )

    @cached_property
    def units(self) -> pl.DataFrame:
        """Rows of ``UNIT_SCHEMA`` of the combined score.

        They are of the units that every source that counts was asked about. A score is null where one of them
        has none, with the cause of the first; its bounds are those that the others leave.
        """
        joined = _joined({name: self.evidence[name] for name in self.weights}, self.writers)
        is_scored = pl.all_horizontal(pl.col(f"score_{name}").is_not_null() for name in self.weights)
        sums = {
            figure: [
                fsum(weight * value for weight, value in zip(self.weights.values(), values, strict=True))
                if None not in values
                else None
                for values in joined.select(f"{figure}_{name}" for name in self.weights).iter_rows()
            ]
            for figure in ("score", "low", "high")
        }
        return joined.select(
            "writer",
            "unit",
            "path",
            *(pl.Series(figure, values, dtype=pl.Float64).clip(0.0, 1.0) for figure, values in sums.items()),
            pl.when(~is_scored)
            .then(pl.coalesce(f"missing_{name}" for name in self.weights))
            .alias("missing"),
        )

    @cached_property
    def grid(self) -> ScoreGrid:
        """The combined scores: writers down, units across."""
        return replace(unit_grid(self.units), notes=ScoreNotes(excluded=self.excluded))

    def compared(self, settings: ComparisonSettings, cautions: Sequence[str] = ()) -> Comparison:
        """Compare the writers by their combined scores; each source alone is the secondary family."""
        comparison = compare(self.grid, settings, cautions=cautions)
        return replace(comparison, secondary=secondary_family(self._by_source(), settings, "evidence"))

    def _by_source(self) -> ScoreGrid:
        """The evidence side by side: an item is a unit in one source."""
        return unit_grid(
            pl.concat(
                evidence.units.select(UNIT_SCHEMA.names()).with_columns(
                    (pl.lit(f"{name}: ") + pl.col("unit")).alias("unit"), pl.lit(name).alias("evidence")
                )
                for name, evidence in self.evidence.items()
            )
        )


def unit_grid(units: pl.DataFrame) -> ScoreGrid:
    """Lay rows of ``UNIT_SCHEMA`` out, with the bounds that they have; further columns are strata."""
    rows = units.rename({"writer": "model", "unit": "item", "path": "cluster"})
    grid = score_grid(ScoreTable.from_frame(rows.drop("low", "high")))
    row = {name: i for i, name in enumerate(grid.models)}
    column = {name: i for i, name in enumerate(grid.items)}
    places = (
        [row[name] for name in rows["model"].to_list()],
        [column[name] for name in rows["item"].to_list()],
    )
    low, high = grid.low.copy(), grid.high.copy()
    low[places], high[places] = rows["low"].to_numpy(), rows["high"].to_numpy()
    return replace(grid, low=low, high=high)


def mean_estimate(units: pl.DataFrame, writer: str, absent: str) -> Estimate:
    """Estimate a writer's mean over units, clustered on the file and cut to [0, 1]."""
    of_writer = units.filter(writer=writer).sort("unit")
    scored = of_writer.drop_nulls("score")
    if not scored.height:
        causes = of_writer["missing"].drop_nulls().unique().sort().to_list()
        return Estimate(
            None, None, None, 0, f"no unit has a score: {', '.join(causes)}" if causes else absent
        )
    values, paths = scored["score"].to_numpy(), scored["path"].to_numpy()
    # All right or all wrong does not vary; a rate knows how sure that is.
    estimator = clustered_rate if values.min() == values.max() in (0.0, 1.0) else clustered_mean
    mean = estimator(values, paths)
    low, high = mean.interval.within(0.0, 1.0) if mean.interval else (None, None)
    return Estimate(mean.value, low, high, mean.n, mean.reason)


def source_means(combined: Combined) -> F64:
    """Means of each source, writer by writer, over the units with a combined score.

    The combined mean of a writer is just the weighted sum of its row, whatever the weights.
    """
    joined = _joined({name: combined.evidence[name] for name in combined.weights}, combined.writers)
    columns = [f"score_{name}" for name in combined.weights]
    scored = joined.drop_nulls(columns)
    means = np.full((len(combined.writers), len(columns)), np.nan)
    for i, writer in enumerate(combined.writers):
        of_writer = scored.filter(writer=writer)
        if of_writer.height:
            means[i] = [fsum(of_writer[name]) / of_writer.height for name in columns]
    return means


def _joined(evidence: Mapping[str, Evidence], writers: Sequence[str]) -> pl.DataFrame:
    """One row a writer and unit that every source was asked about, with the figures of each source."""
    unit_lists = [source.units.select("unit", "path").unique() for source in evidence.values()]
    units = unit_lists[0]
    for other in unit_lists[1:]:
        units = units.join(other.select("unit"), on="unit", how="semi")
    rows = pl.DataFrame({"writer": list(writers)}, schema={"writer": pl.String}).join(units, how="cross")
    for name, source in evidence.items():
        figures = source.units.select(
            "writer", "unit", *(pl.col(figure).alias(f"{figure}_{name}") for figure in _FIGURES)
        )
        rows = rows.join(figures, on=["writer", "unit"], how="left").with_columns(
            pl.col(f"low_{name}").fill_null(0.0),
            pl.col(f"high_{name}").fill_null(1.0),
            pl.when(pl.col(f"score_{name}").is_null())
            .then(pl.col(f"missing_{name}").fill_null("infeasible"))
            .alias(f"missing_{name}"),
        )
    return rows.sort("writer", "unit")


def source_agreement(combined: Combined) -> list[SourceAgreement]:
    """Hold every two sources beside one another, those without weight too; see `SourceAgreement`."""
    return [_agreement(combined.evidence, a, b) for a, b in combinations(combined.evidence, 2)]


def _agreement(evidence: Mapping[str, Evidence], a: str, b: str) -> SourceAgreement:
    both = (
        evidence[a]
        .units.drop_nulls("score")
        .join(evidence[b].units.drop_nulls("score"), on=["writer", "unit"], suffix="_b")
        .sort("unit", "writer")
    )
    writers = both["writer"].unique().sort().to_list()
    full = both.filter(pl.len().over("unit") == len(writers))
    tables = [full[name].to_numpy().reshape(-1, max(len(writers), 1)) for name in ("score", "score_b")]
    means = [np.array([[fsum(column) for column in table.T]]) for table in tables]
    centred = [(table - table.mean(axis=1, keepdims=True)).reshape(1, -1) for table in tables]
    return SourceAgreement(
        a=a,
        b=b,
        tau=kendall_tau_b(*means)[0] if full.height else None,
        correlation=pearson(*centred)[0] if full.height else None,
        writers=len(writers),
        units=len(tables[0]),
    )


_FIGURES = ("score", "low", "high", "missing")
