"""Evidence about writers: their summaries, and one score a writer and unit from every source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path

import polars as pl

from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.units import pick_targets
from tellapart.core.estimate import Estimate
from tellapart.core.stats import clustered_mean, clustered_rate
from tellapart.extraction.unit import Unit

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
_FIGURES = ("score", "low", "high")


@dataclass(frozen=True)
class Written:
    """The summaries of a benchmark, which several writers wrote about the same units.

    Attributes:
        units: By id, in the order of the benchmark.
        targets: Ids of the units that are asked about, ascending.
        texts: By writer, then unit; a writer that wrote nothing has an entry.
        missing: By writer, why a target has no summary, where a language model was asked for one.
    """

    fingerprint: str
    seed: int
    units: Mapping[str, Unit]
    targets: tuple[str, ...]
    texts: Mapping[str, Mapping[str, str]]
    missing: Mapping[str, Mapping[str, str]]

    def why_missing(self, writer: str, unit: str) -> str:
        """Give the cause why a writer has no summary of a unit, in the words of a score table."""
        return self.missing[writer].get(unit, "infeasible")

    def sample(self, count: int | None) -> list[str]:
        """Choose targets that somebody summarized, like all of them by language, type and length."""
        summarized = {unit for texts in self.texts.values() for unit in texts} & {*self.targets}
        units = list(self.units.values())
        rows = [i for i, unit in enumerate(units) if unit.id in summarized]
        return [units[i].id for i in pick_targets(units, rows, count or len(rows), self.seed)]


def read_written(directory: Path) -> Written:
    """Read the summaries of a frozen benchmark, or of the copy that a run keeps."""
    benchmark = read_benchmark(directory)
    return Written(
        fingerprint=benchmark.header.fingerprint,
        seed=benchmark.header.seed,
        units={unit.id: unit for unit in benchmark.units},
        targets=tuple(sorted(unit.id for unit in benchmark.targets)),
        texts={writer: benchmark.texts(writer) for writer in benchmark.sources},
        missing={writer: benchmark.summary_missing(writer) for writer in benchmark.sources},
    )


def group_means(
    rows: pl.DataFrame, keys: Sequence[str], columns: Sequence[str] = ("score",), *, complete: bool = False
) -> pl.DataFrame:
    """Give the mean of each group, which no order of the rows changes; groups in ascending order.

    Nulls are left out, or with ``complete`` make the mean null. A column ``missing`` gives the first cause by
    name where the first column has no mean.
    """
    causes = [pl.col("missing").drop_nulls().min()] if "missing" in rows.columns else []
    groups = rows.group_by(list(keys)).agg(*columns, *causes).sort(list(keys))
    means = groups.with_columns(
        pl.Series(name, [_mean(values, complete) for values in groups[name].to_list()], dtype=pl.Float64)
        for name in columns
    )
    if not causes:
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
    by_matcher = group_means(with_bounds(rows), [*_UNIT, "part", "matcher"], _FIGURES)
    parts = group_means(by_matcher, [*_UNIT, "part"], _FIGURES, complete=True)
    return group_means(parts, _UNIT, _FIGURES).select(EVIDENCE.names())


def count_causes(missing: pl.Series) -> dict[str, int]:
    """Count what is missing by cause, in ascending order."""
    return count_values(missing.drop_nulls())


def count_values(values: pl.Series) -> dict[str, int]:
    """Count equal values, in ascending order."""
    return dict(values.value_counts().sort(values.name).iter_rows())


def mean_by_file(
    rows: pl.DataFrame,
    column: str = "score",
    *,
    is_rate: bool = False,
    ends: tuple[float, float] = (0.0, 1.0),
) -> Estimate:
    """Estimate the mean of a column, clustered on ``path``, with an interval within the ends of its scale."""
    values, paths = rows[column].cast(pl.Float64).to_numpy(), rows["path"].to_list()
    if is_rate:
        return plain(clustered_rate(values, paths))
    return plain(clustered_mean(values, paths, limits=ends))


def plain(estimate: Estimate) -> Estimate:
    """Reduce an estimate to the five fields that records hold."""
    return Estimate(estimate.value, estimate.low, estimate.high, estimate.n, estimate.reason)


def writer_mean(units: pl.DataFrame, writer: str, absent: str) -> Estimate:
    """Estimate a writer's mean over units; ``absent`` is the reason where it has none."""
    of_writer = units.filter(writer=writer).sort("unit")
    scored = of_writer.drop_nulls("score")
    if not scored.height:
        causes = ", ".join(count_causes(of_writer["missing"]))
        return Estimate(None, None, None, 0, f"no unit has a score: {causes}" if causes else absent)
    # Values that are all 0 or all 1 do not vary; a rate knows how sure that is.
    lowest, highest = scored["score"].min(), scored["score"].max()
    return mean_by_file(scored, is_rate=lowest == highest and lowest in (0.0, 1.0))
