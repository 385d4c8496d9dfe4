"""Samples, the clusters of their items, and means and rates with the interval that the clusters allow."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from math import fsum, inf
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from tellapart.core.arrays import F64, I64
from tellapart.core.estimate import EstimateWithError, Interval

Clusters: TypeAlias = Iterable[Hashable] | NDArray[np.generic]

NO_VARIATION = "the values do not vary"


def finite_values(values: ArrayLike, name: str) -> F64:
    """Read a sample, float64 of shape (n,); ``name`` is what the caller calls it, for the error."""
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1:
        raise ValueError(f"{name} has shape {sample.shape}, expected one dimension: one number an item.")
    finite = np.isfinite(sample)
    if not finite.all():
        at = int(np.argmin(finite))
        raise ValueError(
            f"{name}[{at}] is {sample[at]!r}, expected a finite number. "
            "Leave missing scores out and count them before the statistics."
        )
    return sample


def unit_values(values: ArrayLike, name: str) -> F64:
    """Read a sample of shares, each in [0, 1]."""
    sample = finite_values(values, name)
    outside = (sample < 0) | (sample > 1)
    if outside.any():
        at = int(np.argmax(outside))
        raise ValueError(f"{name}[{at}] is {float(sample[at])!r}, expected a number in [0, 1].")
    return sample


def cluster_codes(clusters: Clusters | None, n: int) -> tuple[I64, int]:
    """Number the clusters of n items in the order of the labels, and count them.

    ``None`` and NaN mark an item that shares its source with no other; ``None`` in place of the array means
    that of every item.
    """
    if clusters is None:
        return np.arange(n), n
    typed = isinstance(clusters, np.ndarray) and clusters.dtype != object
    codes = _codes_of_array(np.asarray(clusters)) if typed else _codes_of_labels(clusters)
    if codes.shape != (n,):
        raise ValueError(f"clusters has shape {codes.shape}, expected ({n},): one label an item.")
    alone = codes < 0
    n_shared = int(codes.max(initial=-1)) + 1
    codes[alone] = n_shared + np.arange(np.count_nonzero(alone))
    return codes, n_shared + int(np.count_nonzero(alone))


def effective_clusters(n: ArrayLike, squares: ArrayLike) -> F64:
    """Count clusters of unequal size as so many of equal size, 1.5 or more, by the sum of squared sizes.

    Source:
        Kish 1965, "Survey Sampling"; for tests that rest on clusters Carter, Schnepel and Steigerwald 2017,
        "Asymptotic behavior of a t-test robust to cluster heterogeneity".
    """
    return np.maximum(np.square(np.asarray(n, dtype=np.float64)) / np.maximum(squares, 1), 1.5)


def chunk_sizes(rows: int, columns: int) -> Iterator[int]:
    """Cut rows into so many at once that each array of them takes 4 MB at most."""
    size = max(1, 2**19 // columns)
    for start in range(0, rows, size):
        yield min(size, rows - start)


def why_no_spread(n: int, n_clusters: int) -> str | None:
    """Say why n values in so many clusters cannot show how much they vary; ``None`` when they can."""
    if n < 2:
        return "fewer than two values" if n else "no values"
    return "all values are in one cluster" if n_clusters < 2 else None


def _codes_of_array(labels: NDArray[np.generic]) -> I64:
    if labels.dtype.kind in "iu" and labels.size and labels.min() >= 0 and labels.max() <= 4 * labels.size:
        # Numbers of rows need no sorting.
        is_there = np.zeros(int(labels.max()) + 1, dtype=np.int64)
        is_there[labels] = 1
        return (np.cumsum(is_there) - 1)[labels]  # type: ignore[no-any-return]
    _, inverse = np.unique(labels, return_inverse=True)
    codes: I64 = inverse.astype(np.int64)
    if np.issubdtype(labels.dtype, np.floating):
        codes[np.isnan(labels)] = -1
    return codes


def _codes_of_labels(labels: Iterable[Hashable]) -> I64:
    # NaN is the one label that does not equal itself.
    known = [None if label != label else label for label in labels]
    ranks = {label: rank for rank, label in enumerate(sorted({*known} - {None}, key=repr))}
    return np.array([-1 if label is None else ranks[label] for label in known], dtype=np.int64)


_KNOWN_FROM = 10
"""Passes, and fails, from which the design effect of a rate is taken as it is estimated: as many as the usual
rule wants before a rate is treated as normal."""

OUTSIDE_95 = 0.05
"""What a 95 % interval leaves out, at both ends together: the level of the two-sided test that it inverts."""

NORMAL_95 = float(ndtri(1 - OUTSIDE_95 / 2))
"""Half the width of a normal 95 % interval, in standard errors."""


@dataclass(frozen=True, kw_only=True)
class ClusteredEstimate(EstimateWithError):
    """A mean or a rate over ``n`` values, some of which may share a source; None without an interval.

    Attributes:
        n_clusters: Number of clusters; ``n`` when the values are not clustered.
        design_effect: Clustered variance over the variance that ignores clusters, of a rate over that of
            ``n`` independent coin flips, >= 0; 0 for a mean whose clusters do not differ.
        effective_n: How many independent items know as much of a rate, in (0, n]; of a mean there is a
            ``standard_error`` in its place.
    """

    n_clusters: int
    design_effect: float | None = None
    effective_n: float | None = None


def wilson(
    successes: float, n: int, *, level: float = 0.95, effective_n: float | None = None
) -> Interval | None:
    """Give Wilson's score interval of a rate, inside [0, 1]; None when n is 0.

    Successes may be fractional, where ties are scored by their expectation; ``effective_n`` is how many
    independent trials know as much.

    Source:
        Wilson 1927, "Probable inference, the law of succession, and statistical inference".
    """
    if n == 0:
        return None
    z, size = float(ndtri((1 + level) / 2)), n if effective_n is None else effective_n
    rate = successes / n
    centre = (rate + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * float(np.sqrt(rate * (1 - rate) / size + (z / (2 * size)) ** 2))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Interval(low, high)


def clustered_mean(
    values: ArrayLike,
    clusters: Clusters | None = None,
    *,
    level: float = 0.95,
    limits: tuple[float, float] = (-inf, inf),
) -> ClusteredEstimate:
    """Give a mean whose standard error allows for items that share a source; a cluster of None is one alone.

    There is no interval, but a reason, below two values or two clusters, and where the values, or the sums of
    the clusters' deviations, do not vary.

    Source:
        Miller 2024, "Adding Error Bars to Evals", clustered standard errors. Deviation: the variance is
        multiplied by G / (G - 1) and t has G - 1 degrees of freedom, as in Cameron and Miller 2015, "A
        practitioner's guide to cluster-robust inference", section VI. G is that of `effective_clusters`:
        with G counted, ten clusters whose sizes are log-normal cover 88 %, so 95.
    """
    sample = finite_values(values, "values")
    quantile = (1 + level) / 2
    n = len(sample)
    codes, n_clusters = cluster_codes(clusters, n)
    mean = float(sample.mean()) if n else None
    reason = why_no_spread(n, n_clusters) or (None if np.ptp(sample) > 0 < sample.var() else NO_VARIATION)
    if mean is None or reason:
        return ClusteredEstimate(mean, None, None, n, reason, n_clusters=n_clusters)
    variance, effective = _variance_of_mean(sample - mean, codes)
    standard_error = float(np.sqrt(variance))
    design_effect = variance / (float(sample.var(ddof=1)) / n)
    # Deviations that cancel inside every cluster leave rounding noise, not a tiny true error.
    if standard_error <= 1e-12 * float(np.ptp(sample)):
        balanced = "the clusters do not differ"
        return ClusteredEstimate(mean, None, None, n, balanced, n_clusters=n_clusters, design_effect=0.0)
    half = float(stdtrit(effective - 1, quantile)) * standard_error
    ends = max(mean - half, limits[0]), min(mean + half, limits[1])
    return ClusteredEstimate(
        mean, *ends, n, standard_error=standard_error, n_clusters=n_clusters, design_effect=design_effect
    )


def clustered_rate(
    values: ArrayLike, clusters: Clusters | None = None, *, level: float = 0.95
) -> ClusteredEstimate:
    """Give a rate whose Wilson interval allows for items that share a source.

    The interval is Wilson's for the effective sample size n / design effect x (t_{n-1} / t_{G-1})^2, t the
    quantiles of Student's distribution and G the number of clusters as in `clustered_mean`, never more than
    n. The factor is 1 without clusters; without it ten clusters of ten give a 95 % interval that covers 92 %.

    Close to 0 and 1 the values say little of the design effect: ten clusters of twenty that all passed may be
    two hundred passes or ten. There the size is that of clusters that never mix, n / the mean size of an
    item's cluster, unless the estimate is smaller; the weight of this falls from 1 without any pass (or any
    fail) to 0 with ten. Fractions are ties scored by their expectation. There is no interval, but a reason,
    below two values or two clusters.

    Source:
        Korn and Graubard 1998, "Confidence intervals for proportions with small expected number of
        positive counts estimated from survey data", for the effective sample size and its truncation
        at n. Deviations: Wilson's interval in place of Clopper and Pearson's, and the variance of coin
        flips is p (1 - p) / (n - 1), so that clusters of one item change nothing. They take the design effect
        1 for a rate of 0 or 1: ten clusters of twenty with a correlation of .8 inside and a rate of .9 then
        lie wholly above .9 in 23 % of samples.
    """
    sample = unit_values(values, "values")
    quantile = (1 + level) / 2
    n = len(sample)
    codes, n_clusters = cluster_codes(clusters, n)
    rate = float(sample.mean()) if n else None
    reason = why_no_spread(n, n_clusters)
    if rate is None or reason:
        return ClusteredEstimate(rate, None, None, n, reason, n_clusters=n_clusters)
    independent = rate * (1 - rate) / (n - 1)
    variance, effective = _variance_of_mean(sample - rate, codes)
    estimated = variance / independent if independent > 0 else 0.0
    correction = float(stdtrit(n - 1, quantile) / stdtrit(effective - 1, quantile)) ** 2
    unmixed = float(np.square(np.bincount(codes)).sum()) / n
    rarer = min(float(sample.sum()), float((1 - sample).sum()))
    weight = max(0.0, 1 - rarer / _KNOWN_FROM)
    if unmixed > 1 and weight > 0:
        design_effect = estimated + max(unmixed - estimated, 0.0) * weight
        price = estimated / correction
        effective_n = n / max(1.0, price + max(unmixed - price, 0.0) * weight)
    else:
        design_effect = estimated if independent > 0 else 1.0
        effective_n = n * min(1.0, correction / design_effect) if design_effect > 0 else float(n)
    low, high = wilson(float(sample.sum()), n, level=level, effective_n=effective_n) or (None, None)
    return ClusteredEstimate(
        rate, low, high, n, n_clusters=n_clusters, design_effect=design_effect, effective_n=effective_n
    )


def _variance_of_mean(residuals: F64, codes: I64) -> tuple[float, float]:
    """Give it with the effective number of clusters."""
    sums, sizes = np.bincount(codes, weights=residuals), np.bincount(codes)
    effective = float(effective_clusters(len(residuals), np.square(sizes).sum()))
    variance = float(np.square(sums).sum()) / len(residuals) ** 2
    return variance * effective / (effective - 1), effective


def mean_once(values: Collection[float] | F64) -> float | None:
    """Give a mean that does not depend on the order of its values; None where there are none."""
    # Of a view the numbers are read some three times as fast as of an array.
    return fsum(np.asarray(values, np.float64).data) / len(values) if len(values) else None
