from fractions import Fraction

import numpy as np
import pytest

from reference import pairs as reference
from tellapart.core.stats.sign_flip import sign_flip_p
from tellapart.core.stats.sign_flip_interval import sign_flip_intervals

NAN = float("nan")


def intervals(scores, clusters=None, levels=(0.05,), rejects=None, pairs=((0, 1),), seed=0):
    scores = np.asarray(scores, dtype=float)
    codes = np.arange(scores.shape[1]) if clusters is None else np.asarray(clusters)
    if rejects is None:
        p = sign_flip_p(scores, codes, list(pairs), rng=np.random.default_rng(1), draws=100_000)
        rejects = [[value <= level for level in levels] for value in p]
    wanted = [list(zip(levels, of_pair, strict=True)) for of_pair in rejects]
    found = sign_flip_intervals(scores, codes, list(pairs), wanted, rng=np.random.default_rng(seed))
    return [[None if one is None else (one.low, one.high) for one in of_pair] for of_pair in found]


def by_cluster(gaps, clusters):
    """Exact sums and sizes of Fractions; None is missing."""
    held = {}
    for gap, cluster in zip(gaps, clusters, strict=True):
        if gap is not None:
            held.setdefault(cluster, []).append(gap)
    return [sum(gaps) for gaps in held.values()], [len(gaps) for gaps in held.values()]


def random_gaps(rng, kind, n):
    if kind == "thirds":
        gaps = [Fraction(int(rng.integers(-2, 4)), 3) for _ in range(n)]
    elif kind == "0/1":
        gaps = [Fraction(int(rng.integers(-1, 2))) for _ in range(n)]
    else:
        gaps = [Fraction(int(rng.integers(-700, 1001)), 1000) for _ in range(n)]
    return [None if rng.random() < 0.1 else gap for gap in gaps]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["thirds", "0/1", "graded"])
def test_the_interval_is_what_the_test_accepts(kind):
    # Against bisection of the test's p over all sign vectors, in fractions: uneven clusters, holes and ties.
    rng = np.random.default_rng(11)
    levels = (Fraction(1, 20), Fraction(1, 8), Fraction(1, 2))
    ended = 0
    for _ in range(20):
        n_clusters = int(rng.integers(2, 8))
        clusters = np.r_[np.arange(n_clusters), rng.integers(0, n_clusters, rng.integers(0, 7))]
        gaps = random_gaps(rng, kind, len(clusters))
        sums, sizes = by_cluster(gaps, clusters)
        if len(sums) < 2:
            continue
        scores = [[NAN if gap is None else float(gap) for gap in gaps], np.zeros(len(gaps))]
        rejects = [[reference.flip_p(sums, sizes, 0) <= level for level in levels]]
        found = intervals(scores, clusters, [float(level) for level in levels], rejects)[0]
        for level, ends, rejected in zip(levels, found, rejects[0], strict=True):
            expected = reference.flip_interval(sums, sizes, level)
            if expected is None:
                assert ends is None
                continue
            ended += 1
            assert ends == pytest.approx(expected, abs=1e-9)
            assert (ends[0] <= 0 <= ends[1]) is not rejected
    assert ended > 25


def test_by_hand():
    # Six items with the differences 1 to 6. Of the 32 ways to keep or change signs one keeps all and is as
    # extreme under every difference, so that at 1/16 the second lowest mean of a subset (or of the rest of
    # it) rejects no more: subsets have the means 1, 1.5, 2 (twice) ..., and at 1/16 = 2/32 ends are 1.5, 5.5.
    gaps = [[1, 2, 3, 4, 5, 6], [0] * 6]
    assert intervals(gaps, levels=(1 / 16, 1 / 32, 0.03)) == [[(1.5, 5.5), (1, 6), None]]
    # Fewer than five clusters reject nothing at 1/16.
    assert intervals([[1, 2, 3, 4], [0] * 4], levels=(1 / 16,)) == [[None]]
    # Clusters of 2, 1, 1, 1 and 1 items with the sums 2, 2, 3, 4 and 5: subsets' means are 1, 3/2 ...
    found = intervals([[0.5, 1.5, 2, 3, 4, 5], [0] * 6], [0, 0, 1, 2, 3, 4], levels=(1 / 16, 1 / 8))
    assert found == [[(1, 5), (pytest.approx(4 / 3), 4.5)]]


def test_what_the_test_says_of_0_is_what_the_interval_says():
    rng = np.random.default_rng(8)
    for n in (8, 25):
        gaps = rng.normal(1.0, 0.3, n)
        # Far above 0, and yet not rejected; around 0, and yet rejected.
        ((low, high),) = intervals([gaps, np.zeros(n)], rejects=[[False]])[0]
        assert (low, high > 0.5) == (0.0, True)
        weak = rng.normal(0.0, 1.0, n) + 0.05
        ((low, high),) = intervals([weak, np.zeros(n)], rejects=[[True]])[0]
        assert (low > 0) == (weak.mean() > 0) and (high < 0) == (weak.mean() < 0)
        assert low <= weak.mean() <= high
