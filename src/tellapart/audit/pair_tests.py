"""The tests of every pair: whether two models differ, and whether by less than matters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tellapart.audit.options import AuditOptions
from tellapart.core.randomness import generator
from tellapart.core.score_grid import F64, ScoreGrid
from tellapart.core.stats import (
    PairedDifferences,
    PairedTest,
    draws_for,
    mcnemar_exact,
    paired_differences,
    paired_test,
    sign_flip_p,
    tost,
    tost_binary,
    tost_constant,
)
from tellapart.core.stats.samples import cluster_codes

# Kinds of items are many, and what they separate is told as a share.
_TAIL, _TAIL_OF_PART = 40, 4


@dataclass(frozen=True)
class PairTests:
    """Every pair with its p-values, which are NaN where there is none.

    Attributes:
        found: The differences.
        tests: How each pair is tested for one.
        p: Shape (pairs,), two-sided, of no difference; NaN below two items or two clusters.
        p_equivalent: Shape (pairs,), of a difference of at least the smallest that matters.
    """

    found: PairedDifferences
    tests: tuple[PairedTest, ...]
    p: F64
    p_equivalent: F64


def run_pair_tests(grid: ScoreGrid, options: AuditOptions, part: tuple[str, ...] = ()) -> PairTests:
    """Test every two models, each pair as `paired_test` chooses.

    Models whose difference does not vary have no t test. Where they differ by the same on every item, or in
    every cluster, 2 of the 2^clusters flips of signs are as extreme; where they do not differ, all are.

    Args:
        grid: The scores.
        options: With the smallest difference that matters, the level and the seed.
        part: Names the part of the items that the grid is, for the draws.
    """
    found = paired_differences(grid.scores, grid.clusters)
    rows = zip(found.n.tolist(), found.n_clusters.tolist(), found.binary.tolist(), strict=True)
    tests = tuple(paired_test(n, groups, binary=binary) for n, groups, binary in rows)
    testable = (found.n > 1) & (found.n_clusters > 1)
    return PairTests(
        found,
        tests,
        np.where(testable, _p_different(grid, found, tests, options, part), np.nan),
        np.where(testable, _p_equivalent(grid, found, tests, options), np.nan),
    )


def _p_different(
    grid: ScoreGrid,
    found: PairedDifferences,
    tests: tuple[PairedTest, ...],
    options: AuditOptions,
    part: tuple[str, ...],
) -> F64:
    constant = np.where(found.difference == 0, 1.0, 0.5 ** (found.n_clusters - 1.0))
    p = np.where(np.isnan(found.standard_error), constant, found.p_clustered)
    for k, test in enumerate(tests):
        if test is PairedTest.MCNEMAR:
            p[k] = mcnemar_exact(int(found.only_a[k]), int(found.only_b[k]))
    varies = ~np.isnan(found.standard_error)
    flipped = [k for k, test in enumerate(tests) if test is PairedTest.SIGN_FLIP and varies[k]]
    if flipped:
        p[flipped] = sign_flip_p(
            grid.scores,
            cluster_codes(grid.clusters, len(grid.items))[0],
            [(int(found.first[k]), int(found.second[k])) for k in flipped],
            rng=generator(options.seed, "sign flips", *part),
            draws=draws_for(len(tests), options.alpha, tail=_TAIL_OF_PART if part else _TAIL),
            alpha=options.alpha,
        )
    return p


def _p_equivalent(
    grid: ScoreGrid, found: PairedDifferences, tests: tuple[PairedTest, ...], options: AuditOptions
) -> F64:
    margin, span = options.sesoi, grid.limits[1] - grid.limits[0]
    by_t = tost(found.difference, found.standard_error, found.n_clusters - 1.0, margin)
    constant = tost_constant(np.nan_to_num(found.difference), found.n_clusters, margin, span)
    binary = tost_binary(found.only_a, found.only_b, np.maximum(found.n, 1), margin)
    is_binary = np.array([test is PairedTest.MCNEMAR for test in tests], dtype=np.bool_)
    return np.where(is_binary, binary, np.where(np.isnan(found.standard_error), constant, by_t))
