"""Whether two models differ by less than matters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtr

from tellapart.core.arrays import F64, I64
from tellapart.core.stats.paired import paired_score

_NOISE = 1e-12
_STEPS = 100
_CELLS = 2**16


def tost_score(
    scores: F64, clusters: I64, pairs: Sequence[tuple[int, int]], margin: float, span: float
) -> F64:
    """Test equivalence of pairs of models by two one-sided score tests, for scores of any kind.

    A t test takes the variance of the difference from the differences that occurred. Where these are few, it
    says far too often that models which are ``margin`` apart are equivalent: in 19 % of draws of 150 items
    that one of the two gets right on 2 %, in 24 % of draws of 8 clusters. A score test takes the variance
    that the differences would have were the models exactly ``margin`` apart: that of the likeliest
    distribution with this mean over the sums of the clusters that occurred and one that did not, so that a
    difference can be hidden in a rare kind of cluster. With k clusters on which the models differ, by at most
    S, the next one is larger than S with a chance of 1 / (k + 1), and cannot be larger than its size times
    ``span``; the step to the cluster that did not occur is that expectation. The tests above then claim 5 and
    0 %, and where differences are common the power is that of the t test.

    Not allowed for are whole clusters on which one model alone fails, among clusters that otherwise hardly
    differ: of 40 to 60 clusters of eight, 12 to 15 % of draws are called equivalent where half of all rare
    differences are such.

    Args:
        scores: Shape (models, n), NaN is missing; an item counts where both models have a score.
        clusters: Shape (n,), the cluster of each item, numbered from 0.
        pairs: Places of the two models of each pair.
        margin: Smallest difference that matters, > 0.
        span: Greatest possible difference of an item; where it is inf, no cluster that did not occur is
            larger than those that did.

    Returns:
        Shape (pairs,), the p of "they differ by ``margin`` or more", the larger of the two, by Student's t
        with as many degrees of freedom as clusters less 1; 1 where the difference is that large. NaN below
        two clusters, and where models differ on no item: `tost_constant` is for these.

    Source:
        Schuirmann 1987, "A comparison of the two one-sided tests procedure and the power approach"; the
        distribution by Owen 1988, "Empirical likelihood ratio confidence intervals for a single functional",
        with a point beyond the observed ones as in Chen, Variyath and Abraham 2008, "Adjusted empirical
        likelihood and its properties". With one item of 0 or 1 a cluster it is Tango's test, as
        `paired_score`, where items of both kinds occur.
    """
    by_cluster = np.argsort(clusters, kind="stable")
    scores, starts = scores[:, by_cluster], np.flatnonzero(np.diff(clusters[by_cluster], prepend=-1))
    z, groups = np.full(len(pairs), np.nan), np.zeros(len(pairs))
    step = max(1, _CELLS // max(1, scores.shape[1]))
    for start in range(0, len(pairs) if len(starts) else 0, step):
        some = slice(start, start + step)
        first, second = np.array(pairs[some]).T
        z[some], groups[some] = _score_statistics(scores[first], scores[second], starts, margin, span)
    return np.where(z == 0, 1.0, stdtr(groups - 1.0, -z))


def _score_statistics(a: F64, b: F64, starts: I64, margin: float, span: float) -> tuple[F64, I64]:
    """How many standard errors the nearer margin is away, 0 from there on, and the clusters; by pair."""
    present = ~np.isnan(a - b)
    sums = np.add.reduceat(np.where(present, a - b, 0.0), starts, axis=1)
    sizes = np.add.reduceat(present, starts, axis=1, dtype=np.int64)
    largest = np.where(present, np.maximum(np.abs(a), np.abs(b)), 0.0).max(axis=1, keepdims=True)
    groups, seen = np.count_nonzero(sizes, axis=1), np.abs(sums).max(axis=1)
    differing = np.count_nonzero(np.abs(sums) > _NOISE * largest, axis=1)
    z = np.full(len(sums), np.nan)
    rows = np.flatnonzero((groups > 1) & (differing > 0))
    sums, sizes, seen, differing = sums[rows], sizes[rows], seen[rows], differing[rows]
    step = seen
    if np.isfinite(span):
        # The cluster of an item drawn at random has so many items on average.
        whole = span * np.square(sizes).sum(axis=1) / sizes.sum(axis=1)
        step = np.maximum(seen, (differing * seen + whole) / (differing + 1))
    z[rows] = np.inf
    for side in (1.0, -1.0):
        residuals = side * sums - margin * sizes
        mean = residuals.sum(axis=1) / groups[rows]
        away = mean < -_NOISE * margin
        z[rows[~away]] = 0.0
        tilt = _tilt(residuals[away], step[away])
        at = rows[away]
        z[at] = np.minimum(z[at], np.sqrt((groups[at] - 1) * mean[away] * tilt))
    return z, groups


def _tilt(residuals: F64, step: F64) -> F64:
    """The multiplier t of the likeliest weights, 1 / (n (1 + t r)), with which residuals r have mean 0.

    A row a pair, and a residual of 0 is none. Their mean is below 0, and t from -1 / ``step`` to 0; at
    -1 / ``step`` the weights that are lacking are those of a residual of ``step``. The variance of the
    weighted residuals is their unweighted mean over t.
    """
    low, high = -1.0 / step, np.zeros(len(step))
    weights = 1 + low[:, None] * residuals
    with np.errstate(divide="ignore"):
        at_low = np.where(weights > 0, residuals / weights, np.inf).sum(axis=1)
    tilt = residuals.sum(axis=1) / np.square(residuals).sum(axis=1)
    tilt = np.where(tilt > low, tilt, low / 2)
    tilt[at_low <= 0] = low[at_low <= 0]
    rows = np.flatnonzero(at_low > 0)
    for _ in range(_STEPS):
        t, r = tilt[rows], residuals if len(rows) == len(residuals) else residuals[rows]
        weighted = t[:, None] * r
        weighted += 1
        np.divide(r, weighted, out=weighted)
        excess, slope = weighted.sum(axis=1), np.einsum("ki,ki->k", weighted, weighted)
        low[rows], high[rows] = np.where(excess > 0, t, low[rows]), np.where(excess > 0, high[rows], t)
        newer = t + excess / slope
        outside = (newer <= low[rows]) | (newer >= high[rows])
        newer = np.where(outside, (low[rows] + high[rows]) / 2, newer)
        tilt[rows] = newer
        rows = rows[np.abs(newer - t) > _NOISE * np.abs(t)]
        if not len(rows):
            break
    return tilt


def tost_binary(only_a: ArrayLike, only_b: ArrayLike, n: ArrayLike, margin: float) -> F64:
    """Test equivalence of two models that are right or wrong on each of n independent items, as `tost_score`.

    Models that agree on all items are equivalent with p = (1 - margin)^n: so rarely would models agree that
    differ on a share ``margin`` of all items. All but the margin have one shape; nothing reaches a margin
    above 1.

    Source:
        As `paired_score`; for no difference at all, Hanley and Lippman-Hand 1983, "If nothing goes
        wrong, is everything all right?", the rule of three.
    """
    a, b, size = (np.asarray(values, dtype=np.float64) for values in (only_a, only_b, n))
    if margin >= 1:
        return np.where(np.abs(a - b) / size < margin, 0.0, 1.0)
    ahead, behind = np.maximum(a, b), np.minimum(a, b)
    p = ndtr(paired_score(ahead, behind, size, margin))
    return np.where(ahead > 0, p, (1 - margin) ** size)


def tost_constant(difference: ArrayLike, n: ArrayLike, margin: float, span: float) -> F64:
    """Test equivalence of two models whose difference is the same on all of n independent items or clusters.

    A mean difference of ``margin`` would take a share (margin - |difference|) / (span - |difference|) of
    items on which they differ as much as can be; the p is the chance that none of them is among the n. It is
    1 where the difference is that large, or ``span`` is inf: a difference has no end.

    Source:
        As `tost_binary`, the rule of three, for scores in between.
    """
    distance = np.abs(np.asarray(difference, dtype=np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.clip((margin - distance) / (span - distance), 0.0, 1.0)
    share = np.where(distance < margin, np.nan_to_num(share), 0.0)
    p: F64 = (1 - share) ** np.asarray(n, dtype=np.float64)
    return p
