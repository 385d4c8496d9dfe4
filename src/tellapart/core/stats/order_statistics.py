"""Quantiles with the interval that the order of the values allows, whatever their distribution."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, bdtrik

from tellapart.core.estimate import Estimate
from tellapart.core.stats import intervals
from tellapart.core.stats.intervals import Clusters

TOO_FEW = "too few values for this quantile"

_ROUNDING = 1e-9


def quantile_estimates(
    values: ArrayLike, quantiles: Sequence[float], clusters: Clusters | None = None
) -> tuple[Estimate, ...]:
    """Give quantiles, each between the two values that enclose the true one with 95 % probability.

    Of n independent values, the number below the true quantile q is binomial; the ends are the values at the
    two places that cut at most 2.5 % off either side. Ties only make the interval safer. Where values share a
    source, the places move away from n q by the square root of n / effective n of the share of values up to
    the quantile. A cluster of None is a value alone.

    Returns:
        One estimate a quantile. No interval, and a reason, below two values or two clusters and where a
        place is outside the values: below 6 values for the median, below 36 for the first tenth.

    Source:
        Conover 1999, "Practical Nonparametric Statistics", section 3.2; for clusters Woodruff 1952,
        "Confidence intervals for medians and other position measures", with the effective number of values of
        ``clustered_rate``.
    """
    sample = intervals.finite_values(values, "values")
    ordered, n = np.sort(sample), len(sample)
    codes, n_clusters = intervals.cluster_codes(clusters, n)
    reason = intervals.why_no_spread(n, n_clusters)
    estimates = []
    for q in quantiles:
        value = float(np.quantile(ordered, q)) if n else None
        low = high = None
        if value is not None and not reason:
            below = intervals.clustered_rate(sample <= value, codes).effective_n if n_clusters < n else n
            first, last = _places(n, q, sqrt(n / below) if below else 1.0)
            if first >= 1 and last <= n:
                low, high = float(ordered[first - 1]), float(ordered[last - 1])
        why = None if low is not None else reason or TOO_FEW
        estimates.append(Estimate(value, low, high, n, why))
    return tuple(estimates)


def _places(n: int, q: float, stretch: float) -> tuple[int, int]:
    """Places of the ends among the ordered values, from 1."""
    below, above = _fewest(0.025, n, q), _fewest(0.975, n, q) + 1
    low = floor(n * q - (n * q - below) * stretch + _ROUNDING)
    return low, ceil(n * q + (above - n * q) * stretch - _ROUNDING)


def _fewest(p: float, n: int, q: float) -> int:
    """The fewest successes of n that are not exceeded with the probability p or more, each having q.

    It is ``scipy.stats.binom.ppf``, without the half second that importing ``scipy.stats`` takes.
    """
    if q in (0.0, 1.0):
        return round(n * q)
    fewest = ceil(bdtrik(p, n, q))
    return fewest - 1 if fewest > 0 and bdtr(fewest - 1, n, q) >= p else fewest
