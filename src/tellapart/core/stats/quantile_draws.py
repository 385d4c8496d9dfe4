"""Bootstrap draws of differences between quantiles, at the cost of the values near the quantiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.core.stats.samples import F64, I64

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
