"""Two models on the same items: how far the quantiles of their scores are apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tellapart.core.stats.intervals import Interval, upper_quantile
from tellapart.core.stats.quantile_draws import resampled_differences
from tellapart.core.stats.samples import (
    F64,
    NO_VARIATION,
    Clusters,
    cluster_codes,
    finite_values,
    same_length,
    why_no_spread,
)

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

    Raises:
        ValueError: A score is not finite, the shapes differ, or a setting is out of range.

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
    interval = Interval(float(low), float(high), level)
    return QuantileDifference(quantile, gap, interval, p_value, n, n_clusters, resamples)
