"""Two groups of items scored by one model: whether one group is harder."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from tellapart.core.stats.samples import Clusters, cluster_codes, unit_values, why_no_spread

_ROUNDING = 1e-12


@dataclass(frozen=True)
class RateFall:
    """How far the rate falls from one group to another.

    Attributes:
        fall: Rate of the first group minus rate of the second; ``None`` where a group is empty.
        p_falls: One-sided p of "it does not fall": small where it falls; ``None`` where ``reason`` says why.
        p_rises: One-sided p of "it does not rise"; 1 - ``p_falls``.
        n: Items of both groups.
        n_clusters: Clusters of both groups together.
        reason: Why there is no p.
    """

    fall: float | None
    p_falls: float | None
    p_rises: float | None
    n: tuple[int, int]
    n_clusters: int
    reason: str | None = None


def rate_fall(
    first: ArrayLike,
    second: ArrayLike,
    first_clusters: Clusters | None = None,
    second_clusters: Clusters | None = None,
) -> RateFall:
    """Test whether a rate falls from a group of items to another, where items may share sources.

    A score test: the variance of the difference is that of the deviations from the rate of both groups
    together, summed within each cluster, so it exists even where one group is all right and the other all
    wrong. A cluster may reach into both groups.

    Args:
        first: Shape (n,), each in [0, 1].
        second: Shape (m,), each in [0, 1].
        first_clusters: Shape (n,), any hashable labels; None, in both places, means that all stand alone.
        second_clusters: Shape (m,), labels of the same kind.

    Returns:
        The fall and its two one-sided p by Student's t with clusters - 1 degrees of freedom. No p, and a
        reason, where a group is empty, all items are in one cluster or nothing varies.

    Source:
        Boos 1992, "On generalized score tests", for a variance that does not trust the model; clusters
        and their G / (G - 1) as in Cameron and Miller 2015, section VI.
    """
    a, b = unit_values(first, "first"), unit_values(second, "second")
    sizes = (len(a), len(b))
    labels = None
    if first_clusters is not None and second_clusters is not None:
        labels = np.concatenate([np.asarray(first_clusters), np.asarray(second_clusters)])
    codes, n_clusters = cluster_codes(labels, sum(sizes))
    if not all(sizes):
        return RateFall(None, None, None, sizes, n_clusters, "a group is empty")
    fall = float(a.mean() - b.mean())
    if abs(fall) <= _ROUNDING:
        fall = 0.0
    both = np.concatenate([a, b])
    weights = np.repeat([1 / sizes[0], -1 / sizes[1]], sizes)
    sums = np.bincount(codes, weights=(both - both.mean()) * weights, minlength=n_clusters)
    reason = why_no_spread(len(both), n_clusters)
    variance = float(np.square(sums).sum()) * n_clusters / max(n_clusters - 1, 1)
    if not reason and variance <= 1e-24:
        reason = "the rates do not vary"
    if reason:
        return RateFall(fall, None, None, sizes, n_clusters, reason)
    statistic = fall / variance**0.5
    p_falls, p_rises = (float(stdtr(n_clusters - 1, sign * statistic)) for sign in (-1, 1))
    return RateFall(fall, p_falls, p_rises, sizes, n_clusters)
