"""How stable the order of the models is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tellapart.audit.options import AuditOptions
from tellapart.audit.results import Order
from tellapart.core.arrays import F64, I64
from tellapart.core.comparison.compare import MOST_VALUES, sorting_columns
from tellapart.core.pair_key import pair_key
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.consistency import LEAST, kendall_tau_b

SPLITS = 100
"""Random halves that a figure is the mean over."""

_BLOCK = 1 << 22
"""Assignments to halves that are held at once."""


@dataclass(frozen=True)
class _Halves:
    tau: float | None
    correlation: float | None
    stepped_up: float | None
    reason: str = ""


def rank_stability(grid: ScoreGrid, backwards: Sequence[str], options: AuditOptions) -> Order:
    """Compare the order of the models' means with itself.

    Between strata, between random halves of the items, and with and without those that rank the models
    backwards. A figure takes three models with a score: two have only one order and its reverse. Columns of
    more than ``MOST_VALUES`` kinds are left out. Means within 1e-9 of the greatest score tie.

    A half is made of whole clusters, as many as come nearest to half of the items. With few models a single
    split says more of its draw than of the items, so tau and correlation are means over ``SPLITS`` splits.
    The mean is stepped up, not the single values: the step is steep below 0, where few of them would rule.

    Source:
        Kendall 1945 for tau-b; Spearman 1910 and Brown 1910 for 2 r / (1 + r).
    """
    halves = _halves(grid, options.seed)
    return Order(
        between_strata={
            column: _between(grid, column)
            for column in sorting_columns(grid, options.by)
            if len(grid.strata[column].values) <= MOST_VALUES
        },
        halves_tau=halves.tau,
        halves_correlation=halves.correlation,
        spearman_brown=halves.stepped_up,
        without_flagged=_without(grid, np.isin(grid.items, backwards)),
        reason=halves.reason,
    )


def tau_of_means(left: F64, right: F64, grid: ScoreGrid) -> list[float | None]:
    """Compare orders of means; means within 1e-9 of the greatest score tie."""
    greatest = float(np.nanmax(np.abs(grid.scores), initial=0.0)) or 1.0
    return kendall_tau_b(np.round(left / greatest, 9), np.round(right / greatest, 9))


def _between(grid: ScoreGrid, column: str) -> dict[str, float | None]:
    kinds, codes = grid.strata[column].values, grid.strata[column].codes
    means = np.array([_means(grid, codes == code) for code in range(len(kinds))]).reshape(len(kinds), -1)
    left, right = np.triu_indices(len(kinds), 1)
    keys = (pair_key(*pair) for pair in combinations(kinds, 2))
    return dict(zip(keys, tau_of_means(means[left], means[right], grid), strict=True))


def _without(grid: ScoreGrid, flagged: NDArray[np.bool_]) -> float | None:
    """tau-b between all items and those that are not flagged; None without a flagged one."""
    if not flagged.any():
        return None
    return tau_of_means(_means(grid, np.ones_like(flagged))[None], _means(grid, ~flagged)[None], grid)[0]


def _means(grid: ScoreGrid, some: NDArray[np.bool_]) -> F64:
    """Mean of each model over some items; NaN without a score."""
    scores = grid.scores[:, some]
    counts = (~np.isnan(scores)).sum(axis=1)
    return np.where(counts > 0, np.nansum(scores, axis=1) / np.maximum(counts, 1), np.nan)


def _halves(grid: ScoreGrid, seed: int) -> _Halves:
    scored = ~np.isnan(grid.scores)
    if np.count_nonzero(scored.any(axis=1)) < LEAST:
        return _Halves(
            None, None, None, f"fewer than {LEAST} models have scores, and two have only one order"
        )
    _, cluster, sizes = np.unique(grid.clusters, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        return _Halves(None, None, None, "all items are of one source, which is not split")
    sums, counts = (
        np.array([np.bincount(cluster, weights=row, minlength=len(sizes)) for row in rows])
        for rows in (np.where(scored, grid.scores, 0.0), scored.astype(np.float64))
    )
    taus: list[float | None] = []
    correlations: list[float | None] = []
    for first in _first_halves(sizes, generator(seed, "halves")):
        # Threads of a product this small mostly wait for one another where cores are busy.
        with threadpool_limits(1, user_api="blas"):
            left, right = (
                np.where(n > 0, (sums @ half) / np.maximum(n, 1), np.nan).T
                for half, n in ((half, counts @ half) for half in (first, 1 - first))
            )
        taus += tau_of_means(left, right, grid)
        correlations += map(_correlation, left, right)
    tau, correlation = (
        fsum(defined) / len(defined) if (defined := [x for x in values if x is not None]) else None
        for values in (taus, correlations)
    )
    if tau is None or correlation is None:
        return _Halves(tau, correlation, None, "the models do not differ in both halves of any split")
    if correlation < 0:
        return _Halves(tau, correlation, None, "the halves correlate negatively, which cannot be stepped up")
    return _Halves(tau, correlation, 2 * correlation / (1 + correlation))


def _correlation(left: F64, right: F64) -> float | None:
    """Pearson's over models; None where fewer than ``LEAST`` have both means, or one side does not vary."""
    both = ~np.isnan(left + right)
    sides = left[both], right[both]
    if np.count_nonzero(both) < LEAST or any(np.ptp(x) <= 1e-12 * np.abs(x).max() for x in sides):
        return None
    return float(np.corrcoef(*sides)[0, 1])


def _first_halves(sizes: I64, rng: np.random.Generator) -> Iterator[F64]:
    """Draw halves; shape (clusters, splits), 1 in the first half, some splits at a time."""
    half = sizes.sum() / 2
    at_once = max(1, min(SPLITS, _BLOCK // len(sizes)))
    for start in range(0, SPLITS, at_once):
        first = np.zeros((min(at_once, SPLITS - start), len(sizes)))
        for split in first:
            order = rng.permutation(len(sizes))
            filled = np.cumsum(sizes[order])
            # All but the last cluster may come first, so that neither half is empty.
            split[order[: 1 + np.abs(filled[:-1] - half).argmin()]] = 1.0
        yield first.T
