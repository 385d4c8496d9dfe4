"""Bias-corrected and accelerated (BCa) bootstrap intervals, resampling whole clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from tellapart.core.arrays import F64, I64
from tellapart.core.estimate import EstimateWithError, Interval
from tellapart.core.stats.intervals import upper_quantile
from tellapart.core.stats.samples import NO_VARIATION, Clusters, cluster_codes, finite_values, why_no_spread


def accelerated(
    estimate: float,
    drawn: F64,
    acceleration: float | None,
    *,
    n_groups: int,
    level: float,
) -> EstimateWithError:
    """Give a figure its BCa interval.

    Args:
        estimate: The figure on the sample; NaN where it is undefined.
        drawn: Shape (resamples,), the figure on each resample.
        acceleration: Sum of the cubes of what single groups pull the figure by, over 6 times the sum of
            squares to the power 1.5; NaN where the figure is undefined without some group, None where leaving
            any out changes nothing.
        n_groups: How many groups there are.
        level: Confidence in (0, 1).

    Returns:
        The estimate. No interval, and a reason, where the figure is undefined somewhere, does not vary, or is
        so skewed that the interval has no end.

    Source:
        Efron 1987, "Better bootstrap confidence intervals"; the acceleration from the jackknife, Efron and
        Tibshirani 1993, "An Introduction to the Bootstrap", equation 14.15. Deviation: resamples that
        repeat the estimate count half below it, as in scipy.
    """
    is_defined = np.isfinite(drawn).all() and np.isfinite(estimate)
    if not is_defined or (acceleration is not None and np.isnan(acceleration)):
        return without_interval(estimate, n_groups, _undefined(drawn))
    spread = float(np.ptp(drawn))
    # Resamples that repeat the sample differ from it by rounding; they are ties, half below it.
    slack = 1e-12 * (spread + abs(estimate))
    if spread <= slack:
        return without_interval(estimate, n_groups, NO_VARIATION)
    if acceleration is None:
        return without_interval(estimate, n_groups, "leaving out a group changes nothing")
    tied = np.abs(drawn - estimate) <= slack
    below = float(np.mean((drawn < estimate) & ~tied) + np.mean(tied) / 2)
    if not 0 < below < 1:
        return without_interval(estimate, n_groups, "all resamples are on one side of the estimate")
    bias = float(ndtri(below))
    shifted = bias + np.array([-1.0, 1.0]) * float(ndtri(upper_quantile(level)))
    stretch = 1 - acceleration * shifted
    if stretch.min() <= 0:
        return without_interval(estimate, n_groups, "too skewed for an accelerated interval")
    low, high = np.quantile(drawn, ndtr(bias + shifted / stretch))
    return EstimateWithError(
        estimate, float(low), float(high), n_groups, standard_error=float(drawn.std(ddof=1))
    )


def without_interval(estimate: float, n_groups: int, reason: str) -> EstimateWithError:
    """Give a figure that has no interval; one that is not finite is none itself."""
    finite = estimate if np.isfinite(estimate) else None
    return EstimateWithError(finite, None, None, n_groups, reason)


Statistic: TypeAlias = Callable[[F64], F64]

# Draws held at once: 4 MB an array, of which four live together.
_CELLS = 2**19
# A multinomial count costs about as much as this many draws of one group.
_DRAWS_PER_COUNT = 16


def bca(
    values: ArrayLike,
    *,
    rng: np.random.Generator,
    clusters: Clusters | None = None,
    resamples: int = 10_000,
    level: float = 0.95,
) -> EstimateWithError:
    """Give the mean of a sample with its BCa interval.

    The same generator gives the same interval whatever the order of the items. Clusters with equal
    sums and sizes are interchangeable, so their number is drawn instead of each of them: 100,000 binary
    items cost no more than three.

    Args:
        values: Shape (n,), finite, any unit.
        rng: Draws the resamples.
        clusters: Shape (n,), any hashable labels, resampled whole; ``None`` means alone.
        resamples: Number of resamples, at least 2; a thousand or more for a stable interval.
        level: Confidence in (0, 1).

    Returns:
        The estimate. No interval, and a reason, below two values or two clusters and without variation.

    Source:
        Efron 1987, "Better bootstrap confidence intervals"; Efron and Tibshirani 1993, "An
        Introduction to the Bootstrap", chapter 14.
    """
    sample = finite_values(values, "values")
    codes, n_clusters = cluster_codes(clusters, len(sample))
    reason = why_no_spread(len(sample), n_clusters)
    if reason:
        estimate = float(sample.mean()) if len(sample) else None
        return EstimateWithError(estimate, None, None, n_clusters, reason)
    sums = np.bincount(codes, weights=sample, minlength=n_clusters)
    sizes = np.bincount(codes, minlength=n_clusters)
    kinds, alike = np.unique(np.column_stack([sizes, sums]), axis=0, return_counts=True)
    size, total = kinds.T.copy()

    def mean(weights: F64) -> F64:
        means: F64 = (weights @ total) / (weights @ size)
        return means[:, None]

    left_out = (alike @ total - total) / (alike @ size - size)
    (result,) = bca_statistic(
        mean, alike, rng=rng, resamples=resamples, level=level, leave_one_out=left_out[:, None]
    )
    return result


def bca_statistic(
    statistic: Statistic,
    groups: int | ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
    leave_one_out: F64 | None = None,
    open_ended: bool = False,
) -> tuple[EstimateWithError, ...]:
    """Give BCa intervals of any figures that can be computed from weighted groups.

    A resample is a row of weights: how often each group (an item, or a cluster of items) was drawn. A mean
    over clusters is ``weights @ sums / weights @ sizes``; least squares is one solve a row on
    ``weights @ cross_products``. All the figures are computed on the same resamples.

    Args:
        statistic: Takes weights of shape (rows, groups), returns figures of shape (rows, figures), each
            row from its own weights alone.
        groups: How many groups there are; or, shape (kinds,), how many groups of each kind, where groups
            of a kind are interchangeable and the weights count draws of kinds.
        rng: Draws the resamples.
        resamples: Number of resamples, at least 2; a thousand or more for a stable interval.
        level: Confidence in (0, 1).
        leave_one_out: Shape (kinds, figures), the figures without one group of each kind, where there is a
            closed form; else ``statistic`` is called on as many rows of weights as there are kinds.
        open_ended: Whether a figure that is not finite on some resample still has an interval: that between
            percentiles of the resamples, where NaN counts as beyond whichever end is sought. An end among
            figures that are not finite is None, with a reason.

    Returns:
        One estimate a figure. No interval, and a reason, below two groups, for a figure that does not vary
        and for one that is undefined (not finite) on some resample.

    Source:
        Efron 1987, "Better bootstrap confidence intervals"; the acceleration from the jackknife
        over groups, Efron and Tibshirani 1993, equation 14.15.
    """
    alike = np.asarray(groups, dtype=np.int64)
    if alike.ndim == 0:
        alike = np.ones(int(alike), dtype=np.int64)
    n_groups = int(alike.sum())
    upper_quantile(level)
    if n_groups < 1 or alike.min() < 1 or resamples < 2:
        raise ValueError(f"groups is {groups!r}, resamples {resamples!r}, expected 1 or more and 2 or more.")
    estimates = _figures(statistic, alike[None, :].astype(np.float64))[0]
    if n_groups < 2:
        reason = "fewer than two groups"
        return tuple(without_interval(float(e), n_groups, reason) for e in estimates)
    drawn = np.concatenate([_figures(statistic, block) for block in _resampled(alike, resamples, rng)])
    left = _left_out(statistic, alike) if leave_one_out is None else leave_one_out
    return tuple(
        _between_percentiles(float(estimates[k]), drawn[:, k], n_groups, level)
        if open_ended and not (np.isfinite(drawn[:, k]).all() and np.isfinite(left[:, k]).all())
        else _bca_of_figure(float(estimates[k]), drawn[:, k], left[:, k], alike, level)
        for k in range(len(estimates))
    )


def _between_percentiles(estimate: float, drawn: F64, n_groups: int, level: float) -> EstimateWithError:
    if not np.isfinite(estimate):
        return without_interval(estimate, n_groups, _undefined(drawn))
    # Whole resamples, the outer one of two: there is nothing between a figure and an infinite one.
    outer = (1 - level) / 2 * (len(drawn) - 1)
    low, high = (
        float(np.sort(np.where(np.isnan(drawn), end, drawn))[at])
        for end, at in ((-np.inf, math.floor(outer)), (np.inf, len(drawn) - 1 - math.floor(outer)))
    )
    reason = None if np.isfinite([low, high]).all() else _undefined(drawn)
    ends = (low if np.isfinite(low) else None, high if np.isfinite(high) else None)
    return EstimateWithError(estimate, ends[0], ends[1], n_groups, reason)


def _undefined(drawn: F64) -> str:
    undefined = np.count_nonzero(~np.isfinite(drawn))
    return f"undefined in {undefined} of {len(drawn)} resamples, on the sample or without one group"


def _figures(statistic: Statistic, weights: F64) -> F64:
    figures = np.asarray(statistic(weights), dtype=np.float64)
    if figures.ndim != 2 or len(figures) != len(weights):
        raise ValueError(
            f"statistic returned shape {figures.shape}, expected ({len(weights)}, figures): a row a resample."
        )
    return figures


def _resampled(alike: I64, resamples: int, rng: np.random.Generator) -> Iterator[F64]:
    """Yield blocks of weights, shape (rows, kinds), each row summing to the number of groups."""
    n_groups, n_kinds = int(alike.sum()), len(alike)
    if _DRAWS_PER_COUNT * n_kinds <= n_groups:
        for rows in _blocks(resamples, n_kinds):
            yield rng.multinomial(n_groups, alike / n_groups, size=rows).astype(np.float64)
        return
    kind_of_group = np.repeat(np.arange(n_kinds), alike)
    for rows in _blocks(resamples, n_groups):
        cells = kind_of_group[rng.integers(0, n_groups, (rows, n_groups))]
        cells += n_kinds * np.arange(rows)[:, None]
        counts = np.bincount(cells.ravel(), minlength=rows * n_kinds)
        yield counts.reshape(rows, n_kinds).astype(np.float64)


def _left_out(statistic: Statistic, alike: I64) -> F64:
    """Compute the figures without one group of each kind, shape (kinds, figures)."""
    n_kinds, start, parts = len(alike), 0, []
    for rows in _blocks(n_kinds, n_kinds):
        weights = np.tile(alike.astype(np.float64), (rows, 1))
        weights[np.arange(rows), start + np.arange(rows)] -= 1
        parts.append(_figures(statistic, weights))
        start += rows
    return np.concatenate(parts)


def _blocks(rows: int, columns: int) -> Iterator[int]:
    size = max(1, _CELLS // columns)
    for start in range(0, rows, size):
        yield min(size, rows - start)


def _bca_of_figure(estimate: float, drawn: F64, left: F64, alike: I64, level: float) -> EstimateWithError:
    return accelerated(estimate, drawn, _acceleration(left, alike), n_groups=int(alike.sum()), level=level)


def _acceleration(left: F64, alike: I64) -> float | None:
    if not np.isfinite(left).all():
        return float("nan")
    pull = alike @ left / alike.sum() - left
    return float(alike @ pull**3) / (6 * float(alike @ pull**2) ** 1.5) if pull.any() else None


_MOST_GROUPS = 10_000
"""More groups than this are put together at random, which leaves the intervals as they are but for noise."""


@dataclass(frozen=True)
class MeansBootstrap:
    """Figures that were all computed on the same resamples.

    Attributes:
        means: One a model, of its mean over the items that it has a score on.
        percentiles: One a model, from the quantiles of the resampled means as they are; None where ``means``
            has no interval.
    """

    means: tuple[EstimateWithError, ...]
    percentiles: tuple[Interval | None, ...]


def bootstrap_means(
    scores: ArrayLike,
    *,
    rng: np.random.Generator,
    clusters: Clusters | None = None,
    resamples: int = 10_000,
    level: float = 0.95,
) -> MeansBootstrap:
    """Give models' means with BCa intervals, resampling whole clusters.

    Groups on which all models did the same are interchangeable, so that their number is drawn instead of each
    of them.

    Args:
        scores: Shape (models, items), any unit; NaN is missing.
        rng: Draws the resamples.
        clusters: Shape (items,), any hashable labels, resampled whole; ``None`` means alone. Whichever
            way the items are ordered, clusters with the same labels give the same figures.
        resamples: Number of resamples, at least 2; a thousand or more for a stable interval.
        level: Confidence in (0, 1).

    Returns:
        The figures. No interval, and a reason, below two items or two clusters with a score, without
        variation, and where a resample has no score at all.

    Source:
        Efron 1987, "Better bootstrap confidence intervals", see `accelerated`; the jackknife of a ratio
        of sums over clusters in closed form.
    """
    upper_quantile(level)
    table = np.asarray(scores, dtype=np.float64)
    if resamples < 2 or table.ndim != 2 or np.isinf(table).any():
        raise ValueError(
            f"resamples is {resamples!r} and scores have shape {table.shape}, expected 2 or more and "
            "(models, items), finite or NaN."
        )
    codes, n_groups = cluster_codes(clusters, table.shape[1])
    present = ~np.isnan(table)
    complete = bool(present.all())
    sizes = np.array(
        [np.bincount(codes, weights=row, minlength=n_groups) for row in present[: 1 if complete else None]]
    )
    means = [
        float(row[has].mean()) if has.any() else float("nan") for row, has in zip(table, present, strict=True)
    ]
    # About the means, sums lose nothing to rounding.
    away = [np.where(has, row - mean, 0.0) for row, has, mean in zip(table, present, means, strict=True)]
    sums = np.array([np.bincount(codes, weights=row, minlength=n_groups) for row in away])
    drawn_sums, drawn_sizes = _drawn_sums(sums, sizes, resamples, rng) if n_groups > 1 else (sums, sizes)
    estimates: list[EstimateWithError] = []
    percentiles: list[Interval | None] = []
    for k, mean in enumerate(means):
        of_sizes = 0 if complete else k
        with np.errstate(invalid="ignore"):
            drawn = mean + drawn_sums[k] / drawn_sizes[of_sizes]
        estimates.append(_mean_estimate(mean, sums[k], sizes[of_sizes], drawn, level))
        percentiles.append(_percentiles(drawn, level) if estimates[-1].interval else None)
    return MeansBootstrap(tuple(estimates), tuple(percentiles))


def _drawn_sums(sums: F64, sizes: F64, resamples: int, rng: np.random.Generator) -> tuple[F64, F64]:
    """Sums and sizes of models over resamples of the groups, each of shape (models, resamples)."""
    groups = pl.DataFrame(np.vstack([sums, sizes]).T)
    kinds = groups.group_by(pl.all(), maintain_order=True).len("alike")
    alike = kinds.drop_in_place("alike").to_numpy().astype(np.int64)
    table = kinds.to_numpy()
    if len(alike) > _MOST_GROUPS:
        lump = rng.permutation(groups.height) % _MOST_GROUPS
        table = np.array([np.bincount(lump, weights=column) for column in groups.iter_columns()]).T
        alike = np.ones(_MOST_GROUPS, dtype=np.int64)
    drawn = np.concatenate([weights @ table for weights in _resampled(alike, resamples, rng)])
    return drawn[:, : len(sums)].T, drawn[:, len(sums) :].T


def _mean_estimate(mean: float, sums: F64, sizes: F64, drawn: F64, level: float) -> EstimateWithError:
    size, n_groups = float(sizes.sum()), int(np.count_nonzero(sizes))
    reason = why_no_spread(int(size), n_groups)
    if reason:
        return without_interval(mean, n_groups, reason)
    pull = sums / (size - sizes)
    pull -= pull.mean()
    squares, cubes = float(np.square(pull).sum()), float((pull**3).sum())
    acceleration = cubes / (6 * squares**1.5) if squares else None
    return accelerated(mean, drawn, acceleration, n_groups=n_groups, level=level)


def _percentiles(drawn: F64, level: float) -> Interval:
    upper = upper_quantile(level)
    low, high = np.quantile(drawn, [1 - upper, upper])
    return Interval(float(low), float(high))
