"""How stable the order of the models is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tellapart.audit.exact_means import ExactScores, tau_b
from tellapart.audit.items import ItemAnalysis
from tellapart.audit.options import AuditOptions
from tellapart.audit.results import Flag, Order
from tellapart.core.arrays import F64, I64
from tellapart.core.comparison.compare import MOST_VALUES, sorting_columns
from tellapart.core.pair_key import pair_key
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats import mean_once, pearson
from tellapart.core.stats.rank_correlation import LEAST

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


def rank_stability(grid: ScoreGrid, items: ItemAnalysis, options: AuditOptions) -> Order:
    """Compare the order of the models' means with itself.

    Between strata, between random halves of the items, and with and without the items flagged as negative.
    A figure takes three models with a score: two have only one order and its reverse. Columns of more than
    ``MOST_VALUES`` kinds are left out. Means within 1e-9 of the greatest score tie.

    A half is made of whole clusters, as many as come nearest to half of the items. With few models a single
    split says more of its draw than of the items, so tau and correlation are means over ``SPLITS`` splits.
    The mean is stepped up, not the single values: the step is steep below 0, where few of them would rule.

    Source:
        Kendall 1945 for tau-b; Spearman 1910 and Brown 1910 for 2 r / (1 + r).
    """
    exact = ExactScores.of(grid)
    halves = _halves(exact, grid.clusters, options.seed)
    return Order(
        between_strata={
            column: _between(exact, grid.strata[column].values, grid.strata[column].codes)
            for column in sorting_columns(grid, options.by)
            if len(grid.strata[column].values) <= MOST_VALUES
        },
        halves_tau=halves.tau,
        halves_correlation=halves.correlation,
        spearman_brown=halves.stepped_up,
        without_flagged=_without(exact, np.isin(grid.items, items.of(Flag.NEGATIVE))),
        reason=halves.reason,
    )


def _between(exact: ExactScores, kinds: tuple[str, ...], codes: I64) -> dict[str, float | None]:
    means = exact.means(codes, len(kinds))
    left, right = np.triu_indices(len(kinds), 1)
    keys = (pair_key(*pair) for pair in combinations(kinds, 2))
    return dict(zip(keys, tau_b(means[left], means[right]), strict=True))


def _without(exact: ExactScores, flagged: NDArray[np.bool_]) -> float | None:
    """tau-b between all items and those that are not flagged; None without a flagged one."""
    if not flagged.any():
        return None
    everything = exact.means(np.zeros(len(flagged), dtype=np.int64), 1)
    return tau_b(everything, exact.means(np.where(flagged, -1, 0), 1))[0]


def _halves(exact: ExactScores, clusters: I64, seed: int) -> _Halves:
    if np.count_nonzero(exact.scored.any(axis=1)) < LEAST:
        return _Halves(
            None, None, None, f"fewer than {LEAST} models have scores, and two have only one order"
        )
    _, cluster, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        return _Halves(None, None, None, "all items are of one source, which is not split")
    sums, counts = exact.sums(cluster, len(sizes)), exact.counts(cluster, len(sizes))
    taus: list[float | None] = []
    correlations: list[float | None] = []
    for first in _first_halves(sizes, generator(seed, "halves")):
        # Threads of a product this small mostly wait for one another where cores are busy.
        with threadpool_limits(1, user_api="blas"):
            half_sums, half_counts = sums @ first, counts @ first
        left = exact.means_of(half_sums, half_counts).T
        right = exact.means_of(
            sums.sum(axis=1, keepdims=True) - half_sums, counts.sum(axis=1, keepdims=True) - half_counts
        ).T
        taus += tau_b(left, right)
        correlations += pearson(left, right)
    tau, correlation = (mean_once([x for x in values if x is not None]) for values in (taus, correlations))
    if tau is None or correlation is None:
        return _Halves(tau, correlation, None, "the models do not differ in both halves of any split")
    if correlation < 0:
        return _Halves(tau, correlation, None, "the halves correlate negatively, which cannot be stepped up")
    return _Halves(tau, correlation, 2 * correlation / (1 + correlation))


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
