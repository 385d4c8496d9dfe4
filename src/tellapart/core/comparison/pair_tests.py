"""Which test two models have, and its p-values before they are corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np
from scipy.special import betaincinv, stdtr

from tellapart.core.arrays import F64, I64
from tellapart.core.comparison.labels import corrected_differences
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.progress import SILENT, Progress
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.equivalence import tost_binary, tost_constant, tost_score
from tellapart.core.stats.intervals import cluster_codes
from tellapart.core.stats.paired import PairedDifferences, PairedTest, mcnemar_exact, paired_differences
from tellapart.core.stats.sign_flip import draws_for, sign_flip_p
from tellapart.core.stats.spending import ONE_LOOK, Look

ENOUGH_FOR_T = 200
"""Fewer items, or clusters where items share them, than this are too few for Student's t."""

# Strata are many, and are detail.
_TAIL, _TAIL_OF_PART = 40, 4
_FEW_FOR_A_TAIL = 5
_MOST_AT_A_LOOK = 200_000


def paired_test(n: int, n_clusters: int, *, binary: bool) -> PairedTest:
    """Choose the test of two models.

    Exact McNemar where scores are 0 or 1 and no two items share a cluster; else flips of the signs of whole
    clusters where these are fewer than ``ENOUGH_FOR_T``; else Student's t with clustered standard errors.

    Source:
        Miller 2024, "Adding Error Bars to Evals", for paired differences and clusters; the tests themselves
        where they are.
    """
    if binary and n == n_clusters:
        return PairedTest.MCNEMAR
    return PairedTest.SIGN_FLIP if n_clusters < ENOUGH_FOR_T else PairedTest.T


@dataclass(frozen=True)
class TestedPairs:
    """The pairs of one set of items, tested but not yet corrected.

    Attributes:
        clusters: Shape (items,), the clusters, numbered from 0.
        differences: Of every two models.
        pairs: Places in ``differences`` of the pairs of the family.
        p: Shape (pairs,), two-sided, of no difference; NaN below two items or two clusters.
        p_equivalent: Shape (pairs,), of a difference of at least the smallest that matters.
        part: Names the items, for the draws; empty for all.
        stratum: The value of the secondary column, or None.
        look: Which of several looks at growing scores this is.
    """

    grid: ScoreGrid
    clusters: I64
    differences: PairedDifferences
    pairs: tuple[int, ...]
    tests: tuple[PairedTest, ...]
    p: F64
    p_equivalent: F64
    part: tuple[str, ...]
    stratum: str | None
    look: Look

    def only(self, chosen: Sequence[int]) -> TestedPairs:
        """Keep some of the pairs."""
        pairs, tests = tuple(self.pairs[k] for k in chosen), tuple(self.tests[k] for k in chosen)
        p, q = self.p[list(chosen)], self.p_equivalent[list(chosen)]
        return replace(self, pairs=pairs, tests=tests, p=p, p_equivalent=q)

    def models(self, chosen: Sequence[int]) -> list[tuple[int, int]]:
        """The places of the two models of some pairs of the family."""
        first, second = self.differences.first, self.differences.second
        return [(int(first[self.pairs[k]]), int(second[self.pairs[k]])) for k in chosen]

    @property
    def tail(self) -> int:
        """Draws on which the smallest p that is claimed is to rest."""
        return _TAIL if self.stratum is None else _TAIL_OF_PART


def run_tests(
    grid: ScoreGrid,
    settings: ComparisonSettings,
    *,
    part: tuple[str, ...] = (),
    stratum: str | None = None,
    parts: int = 1,
    look: Look = ONE_LOOK,
    progress: Progress = SILENT,
) -> TestedPairs:
    """Test every two models, or each against the baseline, as `paired_test` chooses.

    Scores that people labelled in part are corrected by the labels, and tested by Student's t over these.
    Models whose difference does not vary have no t test. Where they differ by the same on every item, or in
    every cluster, 2 of the 2^clusters flips of signs are as extreme; where they do not differ, all are.
    ``part`` and ``stratum`` name the part of the items that the grid is, and ``parts`` is how many sets of
    items are corrected together, on which the number of draws depends.
    """
    clusters, _ = cluster_codes(grid.clusters, len(grid.items))
    is_labelled = grid.human is not None
    every = corrected_differences(grid) if is_labelled else paired_differences(grid.scores, clusters)
    names = [(grid.models[i], grid.models[j]) for i, j in zip(every.first, every.second, strict=True)]
    pairs = tuple(k for k, two in enumerate(names) if settings.baseline is None or settings.baseline in two)
    tests = tuple(
        PairedTest.LABELS
        if is_labelled
        else paired_test(int(every.n[k]), int(every.n_clusters[k]), binary=bool(every.binary[k]))
        for k in pairs
    )
    chosen = list(pairs)
    testable = (every.n[chosen] > 1) & (every.n_clusters[chosen] > 1)
    if is_labelled:
        testable &= ~np.isnan(every.standard_error[chosen])
    untested = TestedPairs(grid, clusters, every, pairs, tests, np.zeros(0), np.zeros(0), part, stratum, look)
    return replace(
        untested,
        p=np.where(testable, _p_different(untested, settings, len(pairs) * parts, progress), np.nan),
        p_equivalent=np.where(testable, _p_equivalent(untested, settings.least), np.nan),
    )


def _p_different(part: TestedPairs, settings: ComparisonSettings, family: int, progress: Progress) -> F64:
    every, at, level = part.differences, list(part.pairs), part.look.nominal(settings.alpha)
    constant = np.where(every.difference[at] == 0, 1.0, 0.5 ** (every.n_clusters[at] - 1.0))
    varies = ~np.isnan(every.standard_error[at])
    p = np.where(varies, every.p_clustered[at], constant)
    flipped = []
    for k, test in enumerate(part.tests):
        if test is PairedTest.MCNEMAR:
            p[k] = mcnemar_exact(int(every.only_a[at[k]]), int(every.only_b[at[k]]))
        elif test is not PairedTest.LABELS and part.look is not ONE_LOOK and _may_have_a_tail(part, k, level):
            p[k] = 1.0
        elif test is PairedTest.SIGN_FLIP and varies[k]:
            flipped.append(k)
    if flipped:
        draws = draws_for(family, level, tail=part.tail)
        if part.look is not ONE_LOOK and draws > max(_MOST_AT_A_LOOK, 4 * family / settings.alpha):
            draws = 0  # So early a look claims what can be said exactly, and a later one the rest.
        with progress.step(f"testing {len(flipped):,} pairs", draws, unit="draws") as step:
            p[flipped] = sign_flip_p(
                part.grid.scores,
                part.clusters,
                part.models(flipped),
                rng=generator(settings.seed, "sign flips", *part.part),
                draws=draws,
                alpha=level,
                on_draws=step.update,
            )
    return p


def _may_have_a_tail(part: TestedPairs, k: int, level: float) -> bool:
    """Whether items for the model behind may be about to come, so few of them that hardly any is there yet.

    Of graded scores. As many such items may exist as leave so few with a chance above ``level``; each could
    turn the difference by the whole scale. Where there are five of them or more, those that differ by little
    may hide that none of the others has come.
    """
    every, at = part.differences, part.pairs[k]
    n, fewest = int(every.n_clusters[at]), min(int(every.only_a[at]), int(every.only_b[at]))
    fewest = fewest if fewest < _FEW_FOR_A_TAIL else 0
    share = float(betaincinv(fewest + 1, n - fewest, 1 - level)) if n > fewest else 1.0
    return share * part.grid.span >= (1 - share) * abs(float(every.difference[at]))


def p_equivalent(grid: ScoreGrid, clusters: I64, test: PairedTest, margin: float) -> float:
    """Give the p of a difference of at least ``margin`` between the two models of a grid."""
    every, none = paired_differences(grid.scores, clusters), np.zeros(1)
    two = TestedPairs(grid, clusters, every, (0,), (test,), none, none, (), None, ONE_LOOK)
    return float(_p_equivalent(two, margin)[0])


def _p_equivalent(part: TestedPairs, margin: float) -> F64:
    every, at, span = part.differences, list(part.pairs), part.grid.span
    varies = ~np.isnan(every.standard_error[at])
    distance = np.abs(np.nan_to_num(every.difference[at]))
    if part.grid.human is not None:
        rare = tost_constant(distance, np.nan_to_num(every.effective_clusters[at]), margin, span)
        p = stdtr(every.effective_clusters[at] - 1.0, (distance - margin) / every.standard_error[at])
        return np.where(varies & (distance < margin), np.maximum(p, rare), 1.0)
    is_exact = np.array([test is PairedTest.MCNEMAR for test in part.tests], dtype=np.bool_)
    by_score = np.flatnonzero(~is_exact & varies & (distance < margin)).tolist()
    p = tost_constant(distance, every.n_clusters[at], margin, span)
    # A failure that is too rare to be there has no part in the variance of the differences that are.
    rare = p[by_score]
    p[varies] = 1.0
    score = tost_score(part.grid.scores, part.clusters, part.models(by_score), margin, span)
    p[by_score] = np.maximum(score, rare) if isfinite(span) else score
    binary = tost_binary(every.only_a[at], every.only_b[at], np.maximum(every.n[at], 1), margin)
    return np.where(is_exact, binary, p)
