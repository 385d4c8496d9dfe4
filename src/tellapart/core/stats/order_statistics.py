"""Quantiles with the interval that the order of the values allows, whatever their distribution."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, bdtrik

from tellapart.core.arrays import F64, I64
from tellapart.core.estimate import Estimate
from tellapart.core.stats.intervals import (
    Clusters,
    cluster_codes,
    clustered_rate,
    finite_values,
    upper_quantile,
    why_no_spread,
)

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
        Conover 1999, "Practical Nonparametric Statistics", section 3.2, confidence interval for a
        quantile; for clusters Woodruff 1952, "Confidence intervals for medians and other position
        measures", with the effective number of values of ``clustered_rate``.
    """
    upper = upper_quantile(0.95)
    sample = np.sort(finite_values(values, "values"))
    wanted = [float(q) for q in quantiles]
    if not all(0 <= q <= 1 for q in wanted):
        raise ValueError(f"quantiles are {quantiles!r}, expected shares in [0, 1].")
    n = len(sample)
    codes, n_clusters = cluster_codes(clusters, n)
    reason = why_no_spread(n, n_clusters)
    estimates = []
    for q in wanted:
        value = float(np.quantile(sample, q)) if n else None
        ends = None
        if value is not None and not reason:
            stretch = 1.0 if n_clusters == n else _stretch(finite_values(values, "values"), value, codes)
            ends = _places(n, q, upper, stretch)
        if ends is None:
            estimates.append(Estimate(value, None, None, n, reason or TOO_FEW))
        else:
            estimates.append(Estimate(value, float(sample[ends[0]]), float(sample[ends[1]]), n))
    return tuple(estimates)


def _places(n: int, q: float, upper: float, stretch: float) -> tuple[int, int] | None:
    """Positions of the ends among the ordered values, from 0; None where one is outside."""
    below, above = _fewest(1 - upper, n, q), _fewest(upper, n, q) + 1
    low = floor(n * q - (n * q - below) * stretch + _ROUNDING)
    high = ceil(n * q + (above - n * q) * stretch - _ROUNDING)
    return (low - 1, high - 1) if low >= 1 and high <= n else None


def _fewest(p: float, n: int, q: float) -> int:
    """The fewest successes of n that are not exceeded with the probability p or more, each having q.

    It is ``scipy.stats.binom.ppf``, without the half second that importing ``scipy.stats`` takes.
    """
    if q in (0.0, 1.0):
        return round(n * q)
    fewest = ceil(bdtrik(p, n, q))
    return fewest - 1 if fewest > 0 and bdtr(fewest - 1, n, q) >= p else fewest


def _stretch(values: F64, quantile: float, codes: I64) -> float:
    effective_n = clustered_rate(values <= quantile, codes).effective_n
    return sqrt(len(values) / effective_n) if effective_n else 1.0
