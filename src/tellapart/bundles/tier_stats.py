"""From the scores of bundles to the figures of a scoreboard, by tier; and which of them compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.figures import FIGURES, MARGINS, Summary, TierStats
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.rounding import rounded, rounded_ends
from tellapart.bundles.tier_names import OVERALL, TIERS
from tellapart.core.estimate import Interval
from tellapart.core.stats import clustered_mean, clustered_rate, mean_once, quantile_estimates

_BY_COLUMN = {
    column: tuple(name for name, figure in FIGURES.items() if figure.column == column)
    for column in dict.fromkeys(figure.column for figure in FIGURES.values())
}
_OF_QUERIES = tuple(dict.fromkeys(figure.column for figure in FIGURES.values() if figure.of_queries))


class Columns(Protocol):
    """Scores, a column at a time: a frame, or files of which not all columns fit into memory."""

    @property
    def height(self) -> int:
        """How many rows there are."""

    def get_column(self, name: str) -> pl.Series:
        """A column of ``SCORE_SCHEMA``, shape (height,)."""


def stats_by_tier(scores: Columns, clusters: NDArray[np.uint32] | None = None) -> dict[str, TierStats]:
    """Figures of one model over all rows of ``SCORE_SCHEMA``, as ``overall``, and of each of ``TIERS``."""
    clusters = cluster_numbers(scores) if clusters is None else clusters
    tiers = scores.get_column("tier")
    masks = {tier: tiers.eq_missing(tier).to_numpy() for tier in TIERS}
    groups = {OVERALL: _Rows(None, clusters)} | {
        tier: _Rows(np.flatnonzero(inside), clusters[inside]) for tier, inside in masks.items()
    }
    return _stats(scores, groups)


def tier_stats(scores: Columns, clusters: NDArray[np.uint32] | None = None) -> TierStats:
    """Figures of one model."""
    clusters = cluster_numbers(scores) if clusters is None else clusters
    return _stats(scores, {OVERALL: _Rows(None, clusters)})[OVERALL]


class _Rows:
    """Some rows, None for all; their clusters, and the first row of each query among them."""

    def __init__(self, rows: NDArray[np.intp] | None, clusters: NDArray[np.uint32]) -> None:
        self.rows, self.clusters = rows, clusters
        first = _first_rows(clusters)
        self.queries = first if rows is None else rows[first]

    def of(self, column: pl.Series) -> pl.Series:
        return column if self.rows is None else column.gather(self.rows)


def _stats(scores: Columns, groups: Mapping[str, _Rows]) -> dict[str, TierStats]:
    """Sum up each column for all groups of rows before the next one is read."""
    estimates: dict[str, list[tuple[str, float | None, Interval | None]]] = {name: [] for name in groups}
    for column, names in _BY_COLUMN.items():
        values = scores.get_column(column)
        for name, group in groups.items():
            if column in _OF_QUERIES:
                estimates[name] += _estimates(values.gather(group.queries), names, None)
            else:
                estimates[name] += _estimates(group.of(values), names, group.clusters)
    margins, ties = (scores.get_column(column) for column in ("margin", "ties"))
    return {
        name: TierStats(
            n=len(group.clusters),
            queries=len(group.queries),
            correct=int(np.count_nonzero(group.of(margins).to_numpy() > 0)),
            **{figure: value for figure, value, _ in estimates[name]},
            ties=int(np.count_nonzero(group.of(ties).to_numpy())),
            ci95={
                figure: rounded_ends(interval and interval.within(*FIGURES[figure].limits))
                for figure, _, interval in estimates[name]
            },
        )
        for name, group in groups.items()
    }


def _estimates(
    column: pl.Series, names: Sequence[str], clusters: NDArray[np.uint32] | None
) -> Iterator[tuple[str, float | None, Interval | None]]:
    """Give value and interval of the figures of one column: its quantiles, then its means or shares."""
    values = column.to_numpy()
    quantiles = {name: q for name in names if (q := FIGURES[name].quantile) is not None}
    if quantiles:
        estimated = quantile_estimates(values, [*quantiles.values()], clusters)
        for name, estimate in zip(quantiles, estimated, strict=True):
            yield name, rounded(estimate.value), estimate.interval
    for summary, estimator in ((Summary.SHARE, clustered_rate), (Summary.MEAN, clustered_mean)):
        means = [name for name in names if FIGURES[name].summary is summary]
        if means:
            interval = estimator(values, clusters).interval
            yield from ((name, _mean(column), interval) for name in means)


def cluster_numbers(scores: Columns) -> NDArray[np.uint32]:
    """Give each row the number of the first row of its cluster, or its own where it has none.

    Strings are hashed where they lie and never sorted: 2,000,000 of them take half a second.
    """
    first = pl.col("row").first().over("cluster")
    number = pl.when(pl.col("cluster").is_null()).then("row").otherwise(first)
    named = scores.get_column("cluster").alias("cluster").to_frame().with_row_index("row")
    return named.select(number.alias("number"))["number"].to_numpy()


def one_row_a_query(scores: pl.DataFrame) -> pl.DataFrame:
    """The first row of each query: of each cluster, and every row that has none."""
    return scores[_first_rows(cluster_numbers(scores))]


def _first_rows(clusters: NDArray[np.uint32]) -> NDArray[np.intp]:
    rows = np.arange(len(clusters))
    first = np.full(int(clusters.max(initial=0)) + 1, -1)
    first[clusters[::-1]] = rows[::-1]
    return np.flatnonzero(first[clusters] == rows)


def _mean(values: pl.Series) -> float | None:
    if values.is_empty():
        return None
    return rounded(mean_once(values.cast(pl.Float64).to_numpy()))


def tier_and_figure(metric: str) -> tuple[str | None, str]:
    """Split the name of a metric: ``tier1_easy_mrr`` is ``mrr`` of ``tier1_easy``."""
    tier = next((tier for tier in TIERS if metric.startswith(f"{tier}_")), None)
    return tier, metric if tier is None else metric.removeprefix(f"{tier}_")


def less_is_better(metric: str) -> bool:
    """Whether less of a metric is better; of what is no figure of a scoreboard more is, but for ties."""
    _, name = tier_and_figure(metric)
    return name == "ties" or (name in FIGURES and FIGURES[name].less_is_better)


def why_margins_differ(a: Scoreboard, b: Scoreboard) -> str | None:
    """Say why the margins of two scoreboards do not compare; None where they do."""
    first, second = (board.units[MARGINS[0]] for board in (a, b))
    if first == second:
        return None
    return f"margins of {a.model} are in units of {first.unit}, those of {b.model} in units of {second.unit}"
