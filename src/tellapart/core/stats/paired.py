"""Two models on the same items: the difference, its interval and its tests; `comparison.decision` chooses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, stdtr

from tellapart.core.arrays import F64
from tellapart.core.estimate import Interval
from tellapart.core.stats.intervals import ClusteredEstimate, clustered_mean
from tellapart.core.stats.samples import (
    Clusters,
    cluster_codes,
    finite_values,
    same_length,
    values_or_missing,
)

_NOISE = 1e-12


class PairedTest(StrEnum):
    """How two models are tested for a difference."""

    MCNEMAR = "mcnemar"
    SIGN_FLIP = "sign_flip"
    T = "t"
    BETTING = "betting"


@dataclass(frozen=True)
class Discordant:
    """Items that exactly one of two models gets right."""

    only_a: int
    only_b: int


@dataclass(frozen=True)
class PairedDifference:
    """How much better model A does than model B on the items that both were scored on.

    Attributes:
        difference: Mean of a - b; positive when A is better; exactly 0 where it is less than 1e-12 of the
            scores, which is rounding; ``None`` without a pair.
        sd: Standard deviation of a - b over pairs (n - 1); ``None`` below two pairs.
        standard_error: Clustered; ``None`` together with ``interval``, and then ``reason`` says why.
        interval: By Student's t with ``n_clusters`` - 1 degrees of freedom.
        p_clustered: Two-sided p of no difference by the same t; ``None`` without a standard error.
        p_mcnemar: Exact McNemar p, for binary scores only. It takes the pairs as independent.
        n: Number of pairs with both scores.
        n_missing: Number of pairs left out because a score is NaN.
        n_clusters: Number of clusters among the ``n`` pairs.
        design_effect: Clustered variance of the difference over the variance that ignores clusters.
        binary: Whether every score used is exactly 0 or 1.
        reason: Why there is no interval.
    """

    difference: float | None
    sd: float | None
    standard_error: float | None
    interval: Interval | None
    p_clustered: float | None
    p_mcnemar: float | None
    n: int
    n_missing: int
    n_clusters: int
    design_effect: float | None
    binary: bool
    reason: str | None = None


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Test whether two models are right equally often, from the items on which they differ.

    Args:
        only_a: Number of items that only A gets right.
        only_b: Number of items that only B gets right.

    Returns:
        Two-sided p in (0, 1]: twice the binomial tail, at most 1; 1 when the models never differ.

    Source:
        McNemar 1947, "Note on the sampling error of the difference between correlated proportions or
        percentages", with the exact binomial tail.
    """
    if only_a < 0 or only_b < 0:
        raise ValueError(f"Discordant counts are {only_a!r} and {only_b!r}, expected 0 or more.")
    if abs(only_a - only_b) <= 1:
        # The two tails are all there is, and rounding would leave it a bit below 1.
        return 1.0
    return min(1.0, 2 * float(bdtr(min(only_a, only_b), only_a + only_b, 0.5)))


def discordant(a: ArrayLike, b: ArrayLike) -> Discordant:
    """Count the items that exactly one of two models gets right.

    Args:
        a: Shape (n,), scores of model A, each 0, 1 or NaN.
        b: Shape (n,), scores of model B on the same items.

    Returns:
        The counts; a pair with a NaN counts for neither.
    """
    scores_a, scores_b, _ = _complete_pairs(a, b)
    if not _is_binary(scores_a, scores_b):
        raise ValueError("Some scores are neither 0 nor 1. Use paired_difference, which takes any score.")
    return _discordant(scores_a, scores_b)


def paired_difference(
    a: ArrayLike, b: ArrayLike, clusters: Clusters | None = None, *, level: float = 0.95
) -> PairedDifference:
    """Compare two models item by item.

    Args:
        a: Shape (n,), scores of model A, higher is better; NaN is missing.
        b: Shape (n,), scores of model B on the same items, in the same order.
        clusters: Shape (n,), any hashable labels; ``None``, as the array or as a label, means alone.
        level: Confidence in (0, 1).

    Returns:
        The difference. No standard error, interval or clustered p, and a reason, below two pairs or two
        clusters and where the differences do not vary.

    Source:
        Miller 2024, "Adding Error Bars to Evals", paired differences with clustered standard errors.
    """
    scores_a, scores_b, kept = _complete_pairs(a, b)
    gaps = scores_a - scores_b
    codes = None if clusters is None else cluster_codes(clusters, len(kept))[0][kept]
    mean = clustered_mean(gaps, codes, level=level)
    binary = len(gaps) > 0 and _is_binary(scores_a, scores_b)
    counts = _discordant(scores_a, scores_b)
    return PairedDifference(
        difference=_without_rounding(mean.value, scores_a, scores_b),
        sd=float(gaps.std(ddof=1)) if len(gaps) > 1 else None,
        standard_error=mean.standard_error,
        interval=mean.interval,
        p_clustered=_p_of_mean(mean),
        p_mcnemar=mcnemar_exact(counts.only_a, counts.only_b) if binary else None,
        n=mean.n,
        n_missing=len(kept) - mean.n,
        n_clusters=mean.n_clusters,
        design_effect=mean.design_effect,
        binary=binary,
        reason=mean.reason,
    )


def _without_rounding(difference: float | None, a: F64, b: F64) -> float | None:
    largest = max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0))
    return 0.0 if difference is not None and abs(difference) <= _NOISE * largest else difference


def _complete_pairs(a: ArrayLike, b: ArrayLike) -> tuple[F64, F64, NDArray[np.bool_]]:
    scores_a, scores_b = values_or_missing(a, "a"), values_or_missing(b, "b")
    same_length(scores_a, scores_b, "a and b")
    kept = ~(np.isnan(scores_a) | np.isnan(scores_b))
    return finite_values(scores_a[kept], "a"), finite_values(scores_b[kept], "b"), kept


def _is_binary(scores_a: F64, scores_b: F64) -> bool:
    return all(bool(((scores == 0) | (scores == 1)).all()) for scores in (scores_a, scores_b))


def _discordant(scores_a: F64, scores_b: F64) -> Discordant:
    return Discordant(int(np.count_nonzero(scores_a > scores_b)), int(np.count_nonzero(scores_a < scores_b)))


def _p_of_mean(estimate: ClusteredEstimate) -> float | None:
    if estimate.value is None or estimate.standard_error is None:
        return None
    return 2 * float(stdtr(estimate.n_clusters - 1, -abs(estimate.value) / estimate.standard_error))
