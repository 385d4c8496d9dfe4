"""Evidence about writers: one score per writer and unit from every source, combined and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.contrastive.answers import steady_mean
from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.units import pick_targets
from tellapart.core.comparison import Comparison, ComparisonSettings, compare
from tellapart.core.comparison.compare import secondary_family
from tellapart.core.estimate import Estimate
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.scores import ScoreTable
from tellapart.core.settings import settings_record
from tellapart.core.stats import clustered_mean, clustered_rate
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import recorded_inputs
from tellapart.store import RunPlan

UNIT = ("writer", "unit", "path")
BOUNDED = ("score", "low", "high")
EVIDENCE = (*UNIT, *BOUNDED, "missing")
"""Columns of evidence, one row per writer and unit.

``score`` lies in [0, 1], or is null with its cause in ``missing``; ``low`` and ``high`` are the score if
everything missing in it were 0, or 1.
"""


def sample(benchmark: Benchmark, count: int | None) -> list[str]:
    """Choose targets that somebody summarized, stratified by language, type and length."""
    summarized = {unit for texts in benchmark.texts.values() for unit in texts}
    rows = [benchmark.position[unit.id] for unit in benchmark.targets if unit.id in summarized]
    picked = pick_targets(benchmark.units, rows, count or len(rows), benchmark.header.seed)
    return [benchmark.units[row].id for row in picked]


def why_missing(benchmark: Benchmark, writer: str, unit: str) -> str:
    """Give the cause why a writer has no summary of a unit, in the words of a score table."""
    return benchmark.summary_missing(writer).get(unit, "infeasible")


def planned_run(
    benchmark: Benchmark,
    evidence: str,
    settings: Any,
    models: Sequence[LanguageModel],
    out: str | Path | None,
) -> RunPlan:
    """Plan a run of the settings over a benchmark, in which these language models are asked."""
    recordings = {f"recording of {model.name}": model for model in models}
    return RunPlan(
        "writers",
        {"evidence": evidence, **settings_record(settings)},
        {"benchmark": benchmark.header.fingerprint, **recorded_inputs(recordings, settings.reuse)},
        seed=benchmark.header.seed,
        out=None if out is None else Path(out),
    )


def group_means(
    rows: pl.DataFrame, keys: Sequence[str], columns: Sequence[str] = ("score",), *, complete: bool = False
) -> pl.DataFrame:
    """Compute the mean of each group; nulls are left out, or with ``complete`` leave no mean but a cause."""

    def mean(column: str) -> pl.Expr:
        value = steady_mean(column)
        return pl.when(pl.col(column).null_count() == 0).then(value) if complete else value

    grouped = rows.group_by(keys).agg(*map(mean, columns), pl.col("missing").min()).sort(keys)
    return grouped.with_columns(missing=pl.when(pl.col(columns[0]).is_null()).then("missing"))


def with_bounds(rows: pl.DataFrame) -> pl.DataFrame:
    """Bound each score in [0, 1]: itself, or 0 and 1 where it is missing."""
    return rows.with_columns(low=pl.col("score").fill_null(0.0), high=pl.col("score").fill_null(1.0))


def matcher_units(rows: pl.DataFrame) -> pl.DataFrame:
    """Score each unit by its parts (items or queries): one counts only where every matcher scored it."""
    by_matcher = group_means(with_bounds(rows), [*UNIT, "part", "matcher"], BOUNDED)
    parts = group_means(by_matcher, [*UNIT, "part"], BOUNDED, complete=True)
    return group_means(parts, UNIT, BOUNDED).select(EVIDENCE)


def counts(values: pl.Series) -> dict[str, int]:
    """Count equal values, in ascending order; nulls are left out."""
    return dict(values.drop_nulls().value_counts().sort(values.name).iter_rows())


def rate_by_file(rows: pl.DataFrame, column: str) -> Estimate:
    """Estimate how often a column is true, clustered on ``path``."""
    return clustered_rate(rows[column].cast(pl.Float64).to_numpy(), rows["path"].to_list())


def writer_mean(units: pl.DataFrame, writer: str, absent: str) -> Estimate:
    """Estimate a writer's mean over units; ``absent`` is the reason where it has none."""
    of_writer = units.filter(writer=writer).sort("unit")
    scored = of_writer.drop_nulls("score")
    if not scored.height:
        causes = ", ".join(counts(of_writer["missing"]))
        return Estimate(None, None, None, 0, f"no unit has a score: {causes}" if causes else absent)
    # Values that are all 0 or all 1 do not vary; a rate knows how sure that is.
    if set(scored["score"]) in ({0.0}, {1.0}):
        return rate_by_file(scored, "score")
    return clustered_mean(scored["score"].to_numpy(), scored["path"].to_list(), limits=(0.0, 1.0))


def combine(evidence: Mapping[str, pl.DataFrame], weights: Mapping[str, float]) -> pl.DataFrame:
    """Weigh the sources that count, over the units that each of them was asked about.

    What a source lacks is missing, with the cause of the first, and within the bounds that the others leave.
    """
    first, *others = (evidence[name].select("unit", "path").unique() for name in weights)
    for other in others:
        first = first.join(other.select("unit"), on="unit", how="semi")
    writers = pl.concat(part.select("writer") for part in evidence.values()).unique()
    rows = writers.join(first, how="cross").sort("writer", "unit")
    for name in weights:
        part = evidence[name].select("writer", "unit", pl.col(*BOUNDED, "missing").name.suffix(f" {name}"))
        rows = rows.join(part, on=["writer", "unit"], how="left", maintain_order="left").with_columns(
            pl.col(f"low {name}").fill_null(0.0),
            pl.col(f"high {name}").fill_null(1.0),
            pl.when(pl.col(f"score {name}").is_null()).then(
                pl.col(f"missing {name}").fill_null("infeasible")
            ),
        )

    def weighted(figure: str) -> pl.Expr:
        parts = (weight * pl.col(f"{figure} {name}") for name, weight in weights.items())
        return pl.sum_horizontal(*parts, ignore_nulls=False).clip(0.0, 1.0).alias(figure)

    missing = pl.coalesce(f"missing {name}" for name in weights)
    sources = {name: pl.col(f"score {name}") for name in weights}
    return rows.select(*UNIT, *map(weighted, BOUNDED), missing=missing, **sources)


def compared(
    combined: pl.DataFrame,
    evidence: Mapping[str, pl.DataFrame],
    settings: ComparisonSettings,
    cautions: Sequence[str] = (),
) -> Comparison | None:
    """Compare the writers by their combined scores; each source alone is the secondary family."""
    if combined.drop_nulls("score")["writer"].n_unique() < 2:
        return None
    alone = pl.concat(
        part.with_columns(evidence=pl.lit(name), unit=pl.format(f"{name}: {{}}", "unit"))
        for name, part in evidence.items()
    )
    secondary = secondary_family(_unit_grid(alone), settings, "evidence")
    primary = compare(_unit_grid(combined.select(EVIDENCE)), settings, cautions=cautions)
    return replace(primary, secondary=secondary)


def _unit_grid(units: pl.DataFrame) -> ScoreGrid:
    """Lay units out as a grid of scores, with the bounds that they have; further columns are strata."""
    rows = units.rename({"writer": "model", "unit": "item", "path": "cluster"})
    grid = score_grid(ScoreTable.from_frame(rows.drop("low", "high")))
    low, high = grid.low.copy(), grid.high.copy()
    places = (
        rows["model"].replace_strict(grid.models, range(len(grid.models))).to_numpy(),
        rows["item"].replace_strict([*grid.items], range(len(grid.items))).to_numpy(),
    )
    low[places], high[places] = rows["low"].to_numpy(), rows["high"].to_numpy()
    return replace(grid, low=low, high=high)


def source_means(combined: pl.DataFrame, sources: Sequence[str]) -> dict[str, dict[str, float]]:
    """Compute means by writer and source over the units with a combined score."""
    scored = combined.drop_nulls("score")
    means = scored.group_by("writer").agg(pl.col(sources).sort().mean()).sort("writer")
    return {row.pop("writer"): row for row in means.iter_rows(named=True)}
