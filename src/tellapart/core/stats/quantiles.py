"""Two models on the same items: how far the quantiles of their scores are apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.core.arrays import F64, I64
from tellapart.core.estimate import Interval
from tellapart.core.stats.intervals import upper_quantile
from tellapart.core.stats.samples import (
    NO_VARIATION,
    Clusters,
    cluster_codes,
    finite_values,
    same_length,
    why_no_spread,
)

_REACH = 6.0
"""Standard deviations of a quantile's place that are resampled value by value at first."""


@dataclass(frozen=True)
class _Steps:
    """A sample in ascending order, the values far from every quantile lumped together.

    Attributes:
        values: Shape (m,), NaN for a lump.
        kinds: Shape (m,), the kind of cluster that each belongs to.
        sizes: Shape (m,), how many values of one such cluster stand here.
    """

    values: F64
    kinds: I64
    sizes: I64


def resampled_differences(
    a: F64, b: F64, codes: I64, quantiles: F64, resamples: int, rng: np.random.Generator
) -> F64:
    """Draw clusters with replacement and give quantiles of a minus quantiles of b, by linear interpolation.

    A quantile of a resample is hardly ever far from that of the sample, so values beyond its reach count only
    as being below or above it: clusters that hold nothing else are interchangeable where they hold equally
    many in each gap between the quantiles, and their numbers are drawn instead of each of them. Should a
    quantile land among them, all is drawn anew with twice the reach; the draws are those of a plain
    bootstrap either way.

    Args:
        a: Shape (n,), finite, n >= 1.
        b: Shape (n,), paired with ``a``.
        codes: Shape (n,), the cluster of each pair, numbered from 0 without gaps.
        quantiles: Shape (q,), each in [0, 1].
        resamples: Number of resamples.
        rng: Draws them.

    Returns:
        Shape (resamples, q).
    """
    reach = _REACH
    while True:
        drawn = _drawn(a, b, codes, quantiles, resamples, rng, reach)
        if np.isfinite(drawn).all():
            return drawn
        reach *= 2


def _drawn(
    a: F64, b: F64, codes: I64, quantiles: F64, resamples: int, rng: np.random.Generator, reach: float
) -> F64:
    sizes = np.bincount(codes)
    orders = [np.argsort(values, kind="stable") for values in (a, b)]
    near = [_near(codes[order], sizes, quantiles, reach) for order in orders]
    alone = np.zeros(len(sizes), dtype=np.bool_)
    for order, mask in zip(orders, near, strict=True):
        alone[codes[order[mask]]] = True
    gaps = [_counts_by_gap(codes[order], mask, len(sizes)) for order, mask in zip(orders, near, strict=True)]
    lumps, kind_of_lumped, alike = np.unique(
        np.concatenate(gaps, axis=1)[~alone], axis=0, return_inverse=True, return_counts=True
    )
    kinds = np.empty(len(sizes), dtype=np.int64)
    kinds[~alone] = kind_of_lumped.ravel()
    kinds[alone] = len(lumps) + np.arange(np.count_nonzero(alone))
    width = gaps[0].shape[1]
    steps = [
        _steps(values[order], kinds[codes[order]], mask, lump)
        for values, order, mask, lump in zip(
            (a, b), orders, near, (lumps[:, :width], lumps[:, width:]), strict=True
        )
    ]
    draws = np.empty((resamples, len(quantiles)))
    for row in range(resamples):
        weights = _weights(alike, int(np.count_nonzero(alone)), rng)
        draws[row] = _quantiles(steps[0], weights, quantiles) - _quantiles(steps[1], weights, quantiles)
    return draws


def _near(codes: I64, sizes: I64, quantiles: F64, reach: float) -> NDArray[np.bool_]:
    """Mark the places, of values in ascending order, that a resample's quantile may come from."""
    n = len(codes)
    mask = np.zeros(n, dtype=np.bool_)
    for quantile in quantiles:
        at = int((n - 1) * quantile)
        # The place moves as the clusters drawn hold more or less than their share of what lies below it.
        surplus = np.bincount(codes[: at + 1], minlength=len(sizes)) - quantile * sizes
        moved = int(reach * np.sqrt(np.einsum("g,g->", surplus, surplus))) + 3
        mask[max(0, at - moved) : at + moved + 1] = True
    return mask


def _counts_by_gap(codes: I64, near: NDArray[np.bool_], n_clusters: int) -> I64:
    """Count each cluster's values before, between and after the marked runs, shape (clusters, runs + 1)."""
    gap = _gap_of_place(near)
    width = int(gap[-1]) + 1
    cells = (codes * width + gap)[~near]
    counts: I64 = np.bincount(cells, minlength=n_clusters * width).reshape(n_clusters, width)
    return counts


def _gap_of_place(near: NDArray[np.bool_]) -> I64:
    """Count the marked runs that have begun at each place."""
    begun: I64 = np.cumsum(near & ~np.concatenate([[False], near[:-1]]))
    return begun


def _steps(ordered: F64, kinds: I64, near: NDArray[np.bool_], lumps: I64) -> _Steps:
    """Merge the values of clusters that are drawn one by one with the lumps of the others."""
    single = kinds >= len(lumps)
    gap = _gap_of_place(near)
    lumped, in_gap = np.nonzero(lumps)
    # Anywhere between the two runs is as good; here, just before the second.
    place = np.concatenate([np.flatnonzero(single), np.searchsorted(gap, in_gap, side="right")])
    after_lumps = np.concatenate([single[single], np.zeros(len(lumped), dtype=np.bool_)])
    values = np.concatenate([np.where(near[single], ordered[single], np.nan), np.full(len(lumped), np.nan)])
    order = np.lexsort((after_lumps, place))
    return _Steps(
        values[order],
        np.concatenate([kinds[single], lumped])[order],
        np.concatenate([np.ones(int(single.sum()), dtype=np.int64), lumps[lumped, in_gap]])[order],
    )


def _weights(alike: I64, n_single: int, rng: np.random.Generator) -> I64:
    """Draw as many clusters as there are: how often each kind, then each of those drawn one by one."""
    n_clusters = int(alike.sum()) + n_single
    counts = rng.multinomial(n_clusters, np.append(alike, n_single) / n_clusters)
    if not n_single:
        return counts[:-1]
    single = np.bincount(rng.integers(0, n_single, counts[-1]), minlength=n_single)
    return np.concatenate([counts[:-1], single])


def _quantiles(steps: _Steps, weights: I64, quantiles: F64) -> F64:
    """Quantiles of the sample in which each value counts as often as its cluster was drawn; NaN in a lump."""
    last = np.cumsum(weights[steps.kinds] * steps.sizes)
    at = (last[-1] - 1) * quantiles
    below = np.floor(at)
    # Places are counted from 0; step i fills the places from last[i - 1] up to, not including, last[i].
    low = steps.values[np.searchsorted(last, below, side="right")]
    high = steps.values[np.searchsorted(last, np.minimum(below + 1, last[-1] - 1), side="right")]
    interpolated: F64 = low + (at - below) * (high - low)
    return interpolated


_NO_DRAW_DIFFERS = "it is the same in every resample"


@dataclass(frozen=True)
class QuantileDifference:
    """How much higher a quantile of model A's scores is than the same quantile of model B's.

    Attributes:
        quantile: Which one, in [0, 1].
        difference: Quantile of a minus quantile of b; ``None`` without a pair.
        interval: Percentiles of the resampled differences; ``None`` together with ``p_value``, and then
            ``reason`` says why.
        p_value: Two-sided p of no difference; 0 is outside the interval where it is below 1 - level, up to
            the grain of the resamples.
        n: Number of pairs.
        n_clusters: Number of clusters among them.
        resamples: Number of resamples.
        reason: Why there is no interval.
    """

    quantile: float
    difference: float | None
    interval: Interval | None
    p_value: float | None
    n: int
    n_clusters: int
    resamples: int
    reason: str | None = None


def quantile_differences(
    a: ArrayLike,
    b: ArrayLike,
    quantiles: Sequence[float],
    *,
    rng: np.random.Generator,
    clusters: Clusters | None = None,
    resamples: int = 2000,
    level: float = 0.95,
) -> tuple[QuantileDifference, ...]:
    """Compare quantiles of two models' scores by a paired bootstrap that draws whole clusters.

    A resample keeps the two scores of an item together, so what makes an item hard for both cancels. Swapping
    the models turns the signs round and keeps p. p is twice the smaller share of resampled differences on
    either side of 0, those at 0 on both, with one added to the counts and to ``resamples``: never 0.

    Args:
        a: Shape (n,), scores of model A, finite.
        b: Shape (n,), scores of model B on the same items, in the same order.
        quantiles: Which, each in [0, 1], by linear interpolation; all on the same resamples.
        rng: Draws the resamples. Without clusters the result depends on the order of the items.
        clusters: Shape (n,), any hashable labels, resampled whole; ``None`` means alone.
        resamples: Number of resamples, at least 2.
        level: Confidence in (0, 1).

    Returns:
        One difference a quantile. No interval, and a reason, below two pairs or two clusters and where the
        resampled differences do not vary.

    Source:
        Wilcox and Erceg-Hurn 2012, "Comparing two dependent groups via quantiles", percentile bootstrap of
        the difference of marginal quantiles. Deviations: quantiles by linear interpolation in place of
        Harrell and Davis's, whole clusters, and one added to the counts as in Davison and Hinkley 1997,
        "Bootstrap Methods and their Application", equation 4.11.
    """
    first, second = finite_values(a, "a"), finite_values(b, "b")
    same_length(first, second, "a and b")
    wanted = np.asarray(quantiles, dtype=np.float64)
    upper_quantile(level)
    if not ((wanted >= 0) & (wanted <= 1)).all() or resamples < 2:
        raise ValueError(
            f"quantiles are {quantiles!r}, resamples {resamples!r}, expected shares in [0, 1] and 2 or more."
        )
    n = len(first)
    codes, n_clusters = cluster_codes(clusters, n)
    gaps = np.quantile(first, wanted) - np.quantile(second, wanted) if n else None
    slack = 1e-12 * float(max(np.ptp(first), np.ptp(second))) if n else 0.0
    reason = why_no_spread(n, n_clusters) or (NO_VARIATION if np.ptp(first - second) <= slack else None)
    if gaps is None or reason:
        observed = [None if gaps is None else float(gap) for gap in (wanted if gaps is None else gaps)]
        return tuple(
            QuantileDifference(float(q), gap, None, None, n, n_clusters, resamples, reason)
            for q, gap in zip(wanted, observed, strict=True)
        )
    drawn = resampled_differences(first, second, codes, wanted, resamples, rng)
    return tuple(
        _judged(float(q), float(gap), drawn[:, k], slack, level, n, n_clusters)
        for k, (q, gap) in enumerate(zip(wanted, gaps, strict=True))
    )


def _judged(
    quantile: float, gap: float, drawn: F64, slack: float, level: float, n: int, n_clusters: int
) -> QuantileDifference:
    resamples = len(drawn)
    if np.ptp(drawn) <= slack:
        return QuantileDifference(quantile, gap, None, None, n, n_clusters, resamples, _NO_DRAW_DIFFERS)
    upper = upper_quantile(level)
    low, high = np.quantile(drawn, [1 - upper, upper])
    sides = np.count_nonzero(drawn <= slack), np.count_nonzero(drawn >= -slack)
    p_value = min(1.0, 2 * (1 + int(min(sides))) / (1 + resamples))
    interval = Interval(float(low), float(high))
    return QuantileDifference(quantile, gap, interval, p_value, n, n_clusters, resamples)
