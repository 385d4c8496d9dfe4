"""Models on the same items: tests of right and wrong, differences of every pair, and Holm's correction."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, betaincinv, ndtri, stdtr

from tellapart.core.arrays import F64, I64
from tellapart.core.stats.intervals import (
    NO_VARIATION,
    Clusters,
    cluster_codes,
    effective_clusters,
    unit_values,
    why_no_spread,
)

_HALVINGS = 60
_LEAST = 1e-12


class PairedTest(StrEnum):
    """How two models are tested for a difference."""

    MCNEMAR = "mcnemar"
    SIGN_FLIP = "sign_flip"
    T = "t"
    LABELS = "labels"


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Test whether two models are right equally often, from the items on which they differ.

    The p is two-sided, in (0, 1]: twice the binomial tail, at most 1; 1 when the models never differ.
    Mid-p, which counts half of the outcomes as extreme as this one, is not taken: over 8 to 1,000 items and
    every share on which models differ it rejects in up to 7.0 % at 5 %, and in up to .20 % at .1 %.

    Source:
        McNemar 1947, "Note on the sampling error of the difference between correlated proportions or
        percentages", with the exact binomial tail.
    """
    if abs(only_a - only_b) <= 1:
        # The two tails are all there is, and rounding would leave it a bit below 1.
        return 1.0
    return min(1.0, 2 * float(bdtr(min(only_a, only_b), only_a + only_b, 0.5)))


def paired_score(only_a: ArrayLike, only_b: ArrayLike, n: ArrayLike, gap: ArrayLike) -> F64:
    """Give the score statistic of "A's rate is ``gap`` above B's".

    All have one shape; gaps lie in (-1, 1).

    Returns:
        Standard normal if the gap is that: below 0 where A is less ahead. 0 where the items differ by the gap
        and could not differ otherwise.

    Source:
        Tango 1998, "Equivalence test and confidence interval for the difference in proportions for the
        paired-sample design".
    """
    a, b, size, signed = (np.asarray(values, dtype=np.float64) for values in (only_a, only_b, n, gap))
    least = np.abs(signed)
    ahead, behind = np.where(signed < 0, b, a), np.where(signed < 0, a, b)
    linear = (2 * size - ahead + behind) * least - ahead - behind
    constant = behind * least * (1 - least)
    root = np.hypot(linear, np.sqrt(8 * size * constant))
    # Of the two ways to write the root of the quadratic, the one that subtracts no equals.
    with np.errstate(divide="ignore", invalid="ignore"):
        rate_behind = np.where(linear > 0, 2 * constant / (linear + root), (root - linear) / (4 * size))
        distance = ahead - behind - size * least
        score = distance / np.sqrt(size * (2 * rate_behind + least * (1 - least)))
    return np.where(distance == 0, 0.0, np.where(signed < 0, -score, score))


def mcnemar_interval(
    only_a: ArrayLike, only_b: ArrayLike, n: ArrayLike, level: ArrayLike, rejects: ArrayLike
) -> tuple[F64, F64]:
    """Give the interval of the difference between two models' rates that agrees with the exact McNemar test.

    It holds the gaps that the score test accepts, but what it says of 0 is what the exact test says. Where
    that does not reject, an end that the score test puts beyond 0 is 0. Where it does and the score interval
    holds 0, which happens at small levels with few discordant items, all gaps up to 0 are rejected with it,
    and the end near 0 is the lowest share of discordant items times the lowest excess among these, each at
    ``level``, and at least 1e-12. Over all outcomes of 30 to 1,000 items, with 2 to 60 % discordant, it
    misses a difference at 5 % in at most 7 % of draws, at 1/1,000 in 1.6/1,000; and no difference never more
    often than ``level``. ``rejects`` says whether the exact test rejects no difference at ``level``. All are
    of shape (m,), the lower and the upper ends too.

    Source:
        As `paired_score`, the ends by bisection; the excess by Clopper and Pearson 1934, the share by
        Wilson 1927.
    """
    a, b, size = (np.asarray(values, dtype=np.float64) for values in (only_a, only_b, n))
    alpha, rejected = np.asarray(level, dtype=np.float64), np.asarray(rejects, dtype=np.bool_)
    z = ndtri(1 - alpha / 2)
    low, high = -_upper_end(b, a, size, z), _upper_end(a, b, size, z)
    most, least, differing = np.maximum(a, b), np.minimum(a, b), a + b
    with np.errstate(invalid="ignore", divide="ignore"):
        excess = 2 * betaincinv(most, least + 1, alpha / 2) - 1
        share = differing / size
        centre = share + z**2 / (2 * size)
        reach = z * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
        nearest = np.maximum(excess * (centre - reach) / (1 + z**2 / size), _LEAST)
    low = np.where(rejected, np.where((a > b) & (low <= 0), nearest, low), np.minimum(low, 0.0))
    high = np.where(rejected, np.where((a < b) & (high >= 0), -nearest, high), np.maximum(high, 0.0))
    return low + 0.0, high + 0.0


def _upper_end(only_a: F64, only_b: F64, n: F64, z: F64) -> F64:
    low, high = (only_a - only_b) / n, np.ones_like(n)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        accepted = paired_score(only_a, only_b, n, middle) >= -z
        low, high = np.where(accepted, middle, low), np.where(accepted, high, middle)
    return low


_NOISE = 1e-12
_CELLS = 2**16


@dataclass(frozen=True)
class PairedDifferences:
    """How much better one model does than another, an entry for each pair; NaN is undefined.

    Attributes:
        first: The place of model A; that of B in ``second`` is after it.
        n: Items that both have scores on.
        difference: Mean of a - b; exactly 0 where it is less than 1e-12 of the scores, which is rounding.
        sd: Standard deviation of a - b over items (n - 1).
        standard_error: Clustered; NaN where ``reasons`` says why.
        design_effect: Clustered variance of the difference over the variance that ignores clusters.
        only_a: Items that A scores higher on.
        binary: Whether there is a score and every one is exactly 0 or 1.
    """

    first: I64
    second: I64
    n: I64
    n_clusters: I64
    effective_clusters: F64
    difference: F64
    sd: F64
    standard_error: F64
    design_effect: F64
    only_a: I64
    only_b: I64
    binary: NDArray[np.bool_]
    reasons: tuple[str, ...]

    @property
    def p_clustered(self) -> F64:
        """Two-sided p of no difference by Student's t; NaN without a standard error."""
        p: F64 = 2 * stdtr(self.effective_clusters - 1.0, -np.abs(self.difference) / self.standard_error)
        return p


def paired_differences(scores: F64, clusters: Clusters | None = None) -> PairedDifferences:
    """Compare every two models item by item.

    ``scores`` has shape (models, n), NaN is missing; a cluster of None is an item alone. The pairs are
    (0, 1), (0, 2), ..., (1, 2), ... Differences that vary by less than 1e-12 of the scores do not vary.

    Source:
        Miller 2024, "Adding Error Bars to Evals", paired differences with clustered standard errors.
    """
    if np.isinf(scores).any():
        raise ValueError("A score is infinite, expected finite numbers, or NaN where there is none.")
    first, second = np.triu_indices(len(scores), k=1)
    codes, _ = cluster_codes(clusters, scores.shape[1])
    figures = _figures_of_pairs(scores, codes, first, second)
    n, groups, only_a, only_b, is_graded = figures[:5].astype(np.int64)
    mean, squares, clustered, spread, size, squared_sizes = np.where(n > 0, figures[5:], 0.0)
    effective = effective_clusters(n, squared_sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        standard_error = np.sqrt(clustered * effective / (effective - 1)) / n
        sd = np.where(n > 1, np.sqrt(squares / (n - 1)), np.nan)
        flat = standard_error <= _NOISE * spread
        design_effect = np.where(flat, 0.0, np.square(standard_error / sd) * n)
    constant = spread <= _NOISE * size
    reasons = tuple(
        why_no_spread(int(n[k]), int(groups[k]))
        or (NO_VARIATION if constant[k] else "the clusters do not differ" if flat[k] else "")
        for k in range(len(n))
    )
    unknown = np.array([bool(reason) for reason in reasons], dtype=np.bool_)
    undefined = constant | (n < 2) | (groups < 2)
    return PairedDifferences(
        first=first,
        second=second,
        n=n,
        n_clusters=groups,
        effective_clusters=effective,
        difference=np.where(n > 0, np.where(np.abs(mean) <= _NOISE * size, 0.0, mean), np.nan),
        sd=np.where(constant & (n > 1), 0.0, sd),
        standard_error=np.where(unknown, np.nan, standard_error),
        design_effect=np.where(undefined, np.nan, design_effect),
        only_a=only_a,
        only_b=only_b,
        binary=(is_graded == 0) & (n > 0),
        reasons=reasons,
    )


def mean_differences(upper: F64, lower: F64) -> F64:
    """Give the mean over common items of A's ``upper`` figure minus B's ``lower`` one, for every two models.

    Pairs, missing figures and rounding are as in `paired_differences`; a mean is infinite where a figure is.
    """
    first, second = np.triu_indices(len(upper), k=1)
    means = np.empty(len(first))
    for some in _blocks(len(first), upper.shape[1]):
        a, b = upper[first[some]], lower[second[some]]
        with np.errstate(invalid="ignore"):
            gaps = a - b
            present = ~np.isnan(gaps)
            mean = np.where(present, gaps, 0.0).sum(axis=1) / present.sum(axis=1)
        size = np.where(present, np.maximum(np.abs(a), np.abs(b)), 0.0).max(axis=1, initial=0.0)
        means[some] = np.where(np.isfinite(mean) & (np.abs(mean) <= _NOISE * size), 0.0, mean)
    return means


def _figures_of_pairs(scores: F64, codes: I64, first: I64, second: I64) -> F64:
    """Counts and moments of the differences, a row each, and a column for each pair.

    Items, clusters, items that only A or only B is better on, 1 if a score is not 0 or 1; mean, squares
    around it, squares of the clusters' sums around it, greatest minus least difference, the greatest absolute
    score, and squares of the clusters' sizes.
    """
    figures = np.zeros((11, len(first)))
    by_cluster = np.argsort(codes, kind="stable")
    scores, codes = scores[:, by_cluster], codes[by_cluster]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    sizes, graded = np.abs(scores), (scores != 0) & (scores != 1)
    # Of models with all scores, what is one of a model need not be looked up in every pair.
    is_whole = bool(np.isfinite(scores).all())
    largest, is_graded = sizes.max(axis=1, initial=0.0), graded.any(axis=1)
    of_all = _by_cluster(np.ones((1, len(codes))), starts)
    for some in _blocks(len(first), len(codes)):
        a, b = first[some], second[some]
        gaps = scores[a] - scores[b]
        if is_whole:
            n, items = np.full(len(gaps), len(codes)), np.broadcast_to(of_all, (len(gaps), of_all.shape[1]))
            mean = gaps.sum(axis=1) / max(1, len(codes))
            around = gaps - mean[:, None]
            size, has_grades = np.maximum(largest[a], largest[b]), is_graded[a] | is_graded[b]
        else:
            present = ~np.isnan(gaps)
            n, items = np.count_nonzero(present, axis=1), _by_cluster(present.astype(np.float64), starts)
            mean = np.where(present, gaps, 0.0).sum(axis=1) / np.maximum(n, 1)
            around = np.where(present, gaps - mean[:, None], 0.0)
            size = np.where(present, np.maximum(sizes[a], sizes[b]), 0.0).max(axis=1, initial=0.0)
            has_grades = (present & (graded[a] | graded[b])).any(axis=1)
        highest, lowest = np.fmax.reduce(gaps, 1, initial=-np.inf), np.fmin.reduce(gaps, 1, initial=np.inf)
        ahead, behind = np.count_nonzero(gaps > 0, axis=1), np.count_nonzero(gaps < 0, axis=1)
        squares = [_squares(of) for of in (around, _by_cluster(around, starts), items)]
        counts = [n, np.count_nonzero(items, axis=1), ahead, behind, has_grades]
        figures[:, some] = np.stack([*counts, mean, *squares[:2], highest - lowest, size, squares[2]])
    return figures


def _squares(values: F64) -> F64:
    squares: F64 = np.einsum("ki,ki->k", values, values)
    return squares


def _by_cluster(values: F64, starts: I64) -> F64:
    """Sums of the columns of each cluster, which lie one after the other."""
    return values if len(starts) == values.shape[1] else np.add.reduceat(values, starts, axis=1)


def _blocks(pairs: int, items: int) -> Iterator[slice]:
    """Pairs to look at together, so that their differences stay in a processor's cache."""
    step = max(1, _CELLS // max(1, items))
    for start in range(0, pairs, step):
        yield slice(start, start + step)


def holm(p_values: ArrayLike) -> F64:
    """Adjust p-values so that the chance of any false claim is held, whatever their dependence.

    A claim holds at level alpha where the value is <= alpha; equal p-values stay equal.

    Source:
        Holm 1979, "A simple sequentially rejective multiple test procedure".
    """
    p = unit_values(p_values, "p_values")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(stepped)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def holm_known(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust those p-values that are known by `holm`; comparisons that could not be tested stay None."""
    adjusted = iter(holm([p for p in p_values if p is not None]).tolist())
    return [None if p is None else next(adjusted) for p in p_values]


def holm_levels(
    p_values: Sequence[float | None], adjusted: Sequence[float | None], alpha: float
) -> list[float | None]:
    """Give the level at which Holm tested each: alpha over those with no smaller p, as far as he went.

    ``adjusted`` are the same after Holm; without a test there is no level.
    """
    defined = sorted(p for p in p_values if p is not None)
    last = alpha / max(1, len(defined) - sum(q is not None and q <= alpha for q in adjusted))

    def level(p: float, q: float) -> float:
        return alpha / (len(defined) - bisect_left(defined, p)) if q <= alpha else last

    both = zip(p_values, adjusted, strict=True)
    return [None if p is None or q is None else level(p, q) for p, q in both]
