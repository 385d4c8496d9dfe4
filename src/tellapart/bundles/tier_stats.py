"""The figures of a scoreboard by tier, from the scores of bundles; and which of them compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from tellapart.bundles.figures import FIGURES, Summary, rounded, rounded_ends
from tellapart.bundles.tier_names import OVERALL, TIERS
from tellapart.core.estimate import Interval
from tellapart.core.record import Record
from tellapart.core.stats import clustered_mean, clustered_rate, mean_once, quantile_estimates
from tellapart.report.figures import FIGURES as REPORTED

Count = Annotated[int, Field(ge=0)]
# Beyond the limits by no more than the last digits.
_ROUNDING = 1e-9
Rate = Annotated[float, Field(ge=-_ROUNDING, le=1 + _ROUNDING)]
Rank = Annotated[float, Field(ge=1 - _ROUNDING)]
Ends = Annotated[list[float], Field(min_length=2, max_length=2)]


class TierStats(Record):
    """Figures of one model on some bundles; all but the counts are None where there are no bundles.

    Attributes:
        correct: Bundles whose margin is above 0; a tie is none.
        accuracy: ``correct / n``.
        pass_rate: The same; in contrastive tasks they are one figure.
        mean_margin: Mean of positive minus best negative, in the unit of the similarity.
        median_margin: Quantile .5 by linear interpolation; so are those of .1 and .9.
        mean_rank: Mean of 1 + the negatives strictly above the positive; a tie ranks first.
        expected_rank: Mean rank over the orders that ties allow.
        mrr: Mean of 1 / rank over those orders, in (0, 1].
        top3: Share of bundles whose positive is among the first three, ties by their expectation.
        ties: Bundles whose positive ties with a negative.
        ci95: 95 % intervals of the figures by name, clustered on the anchor: Wilson's for shares, Student's
            for means, between two of the values for quantiles. None where there are too few bundles or
            anchors, or nothing varies.

    Source:
        "Crucible Metrics Reference", TierStats; ``expected_rank`` and what follows it are ours.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    n: Count
    correct: Count
    accuracy: Rate | None
    pass_rate: Rate | None
    mean_margin: float | None
    median_margin: float | None
    q10_margin: float | None
    q90_margin: float | None
    mean_rank: Rank | None
    expected_rank: Rank | None
    mrr: Rate | None
    top3: Rate | None
    top5: Rate | None
    ties: Count
    ci95: dict[str, Ends | None]

    @field_validator("ci95")
    @classmethod
    def _surrounds_each_figure(
        cls, ci95: dict[str, list[float] | None], info: ValidationInfo
    ) -> dict[str, list[float] | None]:
        for name in FIGURES.keys() & ci95.keys():
            value, ends, (least, most) = info.data.get(name), ci95[name], FIGURES[name].limits
            if ends is None or value is None:
                continue
            low, high = ends
            if not (
                low - _ROUNDING <= value <= high + _ROUNDING
                and least - _ROUNDING <= low <= high <= most + _ROUNDING
            ):
                around = {"name": name, "value": f"{value:.6g}", "least": f"{least:g}", "most": f"{most:g}"}
                raise PydanticCustomError(
                    "interval", "[low, high] of {name} around {value}, within {least} to {most}", around
                )
        return ci95


_BY_COLUMN = {
    column: tuple(name for name, figure in FIGURES.items() if figure.column == column)
    for column in dict.fromkeys(figure.column for figure in FIGURES.values())
}


_COUNTED = {"margin": "correct", "ties": "ties"}
"""Columns of which the values above 0 are counted."""


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
    # Each column is summed up for all groups of rows, of which None is all, before the next one is read.
    groups: dict[str, NDArray[np.intp] | None] = {OVERALL: None}
    groups |= {tier: np.flatnonzero(tiers.eq_missing(tier).to_numpy()) for tier in TIERS}
    of_group = {name: clusters if rows is None else clusters[rows] for name, rows in groups.items()}
    estimates: dict[str, list[tuple[str, float | None, Interval | None]]] = {name: [] for name in groups}
    counts: dict[str, dict[str, int]] = {name: {} for name in groups}
    for column in (*_BY_COLUMN, "ties"):
        values = scores.get_column(column)
        for name, rows in groups.items():
            some = values if rows is None else values.gather(rows)
            estimates[name] += _estimates(some, _BY_COLUMN.get(column, ()), of_group[name])
            if column in _COUNTED:
                counts[name][_COUNTED[column]] = int(np.count_nonzero(some.to_numpy() > 0))
    return {
        name: TierStats(
            n=len(of_group[name]),
            correct=counts[name]["correct"],
            ties=counts[name]["ties"],
            **{figure: value for figure, value, _ in estimates[name]},
            ci95={
                figure: rounded_ends(interval and interval.within(*FIGURES[figure].limits))
                for figure, _, interval in estimates[name]
            },
        )
        for name in groups
    }


def _estimates(
    column: pl.Series, names: Sequence[str], clusters: NDArray[np.uint32]
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
    return name in (*FIGURES, "ties") and REPORTED[name].better == "lower"
