"""One score per writer and unit from several sources of evidence, and writers compared by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from tellapart.core.comparison import Comparison, ComparisonSettings, compare
from tellapart.core.comparison.compare import secondary_family
from tellapart.core.estimate import Estimate
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.scores import ScoreTable
from tellapart.writers.evidence import EVIDENCE, FIGURES
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
    first, *others = (evidence[name].select("unit", "path").unique() for name in weights)
    for other in others:
        first = first.join(other.select("unit"), on="unit", how="semi")
    writers = pl.concat(part.select("writer") for part in evidence.values()).unique()
    rows = writers.join(first, how="cross").sort("writer", "unit")
    for name in weights:
        part = evidence[name].select("writer", "unit", pl.col(*FIGURES, "missing").name.suffix(f" {name}"))
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

    return rows.select(
        "writer",
        "unit",
        "path",
        *map(weighted, FIGURES),
        missing=pl.coalesce(f"missing {name}" for name in weights),
        **{name: pl.col(f"score {name}") for name in weights},
    )


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
    """Compute means by writer and source over the units with a combined score.

    The combined mean of a writer is their weighted sum.
    """
    scored = combined.drop_nulls("score")
    means = scored.group_by("writer").agg(pl.col(sources).sort().mean()).sort("writer")
    return {row.pop("writer"): row for row in means.iter_rows(named=True)}
