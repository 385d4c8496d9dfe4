"""Bias-corrected and accelerated (BCa) bootstrap intervals, resampling whole clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri

from tellapart.core.arrays import F64
from tellapart.core.estimate import EstimateWithError
from tellapart.core.stats.intervals import NO_VARIATION, chunk_sizes

Statistic: TypeAlias = Callable[[F64], F64]


def bca_statistic(
    statistic: Statistic,
    n_groups: int,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
) -> tuple[EstimateWithError, ...]:
    """Give BCa intervals of any figures that can be computed from weighted groups.

    A resample is a row of weights: how often each group (an item, or a cluster of items) was drawn. A mean
    over clusters is ``weights @ sums / weights @ sizes``, and least squares one solve a row. All the figures
    are computed on the same resamples. ``statistic`` takes weights of shape (rows, groups) and returns
    figures of shape (rows, figures), each row from its own weights alone.

    Returns:
        One estimate a figure. No interval, and a reason, below two groups, for a figure that does not vary,
        for one that is undefined (not finite) on some resample, and for one so skewed that an end is.

    Source:
        Efron 1987, "Better bootstrap confidence intervals"; the acceleration from the jackknife over groups,
        Efron and Tibshirani 1993, "An Introduction to the Bootstrap", equation 14.15. Deviation: resamples
        that repeat the estimate count half below it, as in scipy.
    """
    estimates = statistic(np.ones((1, n_groups)))[0].tolist()
    if n_groups < 2:
        return tuple(_without_interval(e, n_groups, "fewer than two groups") for e in estimates)
    drawn = np.concatenate([statistic(block) for block in _resampled(n_groups, resamples, rng)])
    left = _left_out(statistic, n_groups)
    each = enumerate(estimates)
    return tuple(_accelerated(e, drawn[:, k], left[:, k], (1 + level) / 2) for k, e in each)


def _accelerated(estimate: float, drawn: F64, left: F64, upper: float) -> EstimateWithError:
    """Give a figure its interval, from the figure on each resample and without each group."""
    n_groups = len(left)
    if not (np.isfinite(drawn).all() and np.isfinite(left).all() and np.isfinite(estimate)):
        times = f"{np.count_nonzero(~np.isfinite(drawn))} of {len(drawn)} resamples"
        reason = f"undefined in {times}, on the sample or without one group"
        return _without_interval(estimate, n_groups, reason)
    # Resamples that repeat the sample differ from it by rounding; they are ties, half below it.
    spread = float(np.ptp(drawn))
    slack = 1e-12 * (spread + abs(estimate))
    if spread <= slack:
        return _without_interval(estimate, n_groups, NO_VARIATION)
    pull = left.mean() - left
    if not pull.any():
        return _without_interval(estimate, n_groups, "leaving out a group changes nothing")
    acceleration = float((pull**3).sum()) / (6 * float((pull**2).sum()) ** 1.5)
    tied = np.abs(drawn - estimate) <= slack
    below = float(np.mean((drawn < estimate) & ~tied) + np.mean(tied) / 2)
    if not 0 < below < 1:
        return _without_interval(estimate, n_groups, "all resamples are on one side of the estimate")
    bias = float(ndtri(below))
    shifted = bias + np.array([-1.0, 1.0]) * float(ndtri(upper))
    stretch = 1 - acceleration * shifted
    if stretch.min() <= 0:
        return _without_interval(estimate, n_groups, "too skewed for an accelerated interval")
    low, high = np.quantile(drawn, ndtr(bias + shifted / stretch)).tolist()
    return EstimateWithError(estimate, low, high, n_groups, standard_error=float(drawn.std(ddof=1)))


def _without_interval(estimate: float, n_groups: int, reason: str) -> EstimateWithError:
    return EstimateWithError(estimate if np.isfinite(estimate) else None, None, None, n_groups, reason)


def _resampled(n_groups: int, resamples: int, rng: np.random.Generator) -> Iterator[F64]:
    """Yield blocks of weights, shape (rows, groups), each row summing to the number of groups."""
    for rows in chunk_sizes(resamples, n_groups):
        cells = rng.integers(0, n_groups, (rows, n_groups)) + n_groups * np.arange(rows)[:, None]
        counts = np.bincount(cells.ravel(), minlength=rows * n_groups)
        yield counts.reshape(rows, n_groups).astype(np.float64)


def _left_out(statistic: Statistic, n_groups: int) -> F64:
    """Compute the figures without each group, shape (groups, figures)."""
    start, parts = 0, []
    for rows in chunk_sizes(n_groups, n_groups):
        weights = np.ones((rows, n_groups))
        weights[np.arange(rows), start + np.arange(rows)] = 0
        parts.append(statistic(weights))
        start += rows
    return np.concatenate(parts)
