import numpy as np
import pytest
from scipy.stats import binom, binomtest, norm
from statsmodels.stats.proportion import proportion_confint

from reference import pairs as reference
from tellapart.core.stats.paired import mcnemar_exact, mcnemar_interval, paired_score


def test_mcnemar_by_hand():
    # One against five: the tail of 6 fair coins is 1 + 6 of 64, doubled.
    assert mcnemar_exact(1, 5) == pytest.approx(14 / 64, abs=1e-15)
    assert mcnemar_exact(5, 1) == mcnemar_exact(1, 5)
    assert mcnemar_exact(0, 0) == 1.0
    assert mcnemar_exact(3, 3) == 1.0


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 1), (0, 6), (2, 9), (40, 61), (480, 560), (4, 5)])
def test_mcnemar_agrees_with_the_binomial_test(only_a, only_b):
    ours = mcnemar_exact(only_a, only_b)
    assert ours == pytest.approx(binomtest(only_a, only_a + only_b).pvalue, abs=1e-9)


def score_interval(only_a, only_b, n, level=0.95):
    """The gaps that the score test accepts, by bisection of its statistic, between -1 and 1."""
    ends = []
    for a, b in ((only_b, only_a), (only_a, only_b)):
        low, high = (a - b) / n, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            is_below = paired_score(a, b, n, middle) >= -norm.isf((1 - level) / 2)
            low, high = (middle, high) if is_below else (low, middle)
        ends.append(low)
    return -ends[0], ends[1]


@pytest.mark.parametrize("counts", [(3, 1, 150), (40, 31, 400), (0, 5, 90), (200, 190, 1000), (4, 0, 10)])
def test_the_statistic_is_the_constrained_likelihoods(counts):
    only_a, only_b, n = counts
    for gap in (1e-3, 0.05, 0.4, 0.9):
        expected = reference.score(only_a, only_b, n, gap)
        assert paired_score(only_a, only_b, n, gap) == pytest.approx(expected, rel=1e-6)
        mirrored = -reference.score(only_b, only_a, n, gap)
        assert paired_score(only_a, only_b, n, -gap) == pytest.approx(mirrored, rel=1e-6)
    # Of no gap it is McNemar's without a correction.
    assert paired_score(only_a, only_b, n, 0) == pytest.approx((only_a - only_b) / (only_a + only_b) ** 0.5)


def mcnemar_ends(only_a, only_b, n, level):
    only_a, only_b = np.asarray(only_a), np.asarray(only_b)
    p = np.array([mcnemar_exact(int(a), int(b)) for a, b in zip(only_a, only_b, strict=True)])
    n, level = np.full(len(p), n), np.full(len(p), level)
    return (*mcnemar_interval(only_a, only_b, n, level, p <= level), p)


LEVELS = (0.5, 0.0625, 0.05, 0.05 / 3, 0.03125, 1e-3, 1e-4, 1e-5)


@pytest.mark.parametrize("n", [1, 2, 7, 23, 50, 1000])
def test_the_interval_leaves_0_out_exactly_where_the_exact_test_rejects(n):
    # All outcomes with up to 50 items on which the models differ, and levels that a p may equal (1/16, 1/32).
    a, b = (grid.ravel() for grid in np.mgrid[: min(n, 50) + 1, : min(n, 50) + 1])
    kept = a + b <= min(n, 50)
    a, b = a[kept], b[kept]
    for level in LEVELS:
        low, high, p = mcnemar_ends(a, b, n, level)
        assert ((low > 0) | (high < 0)).tolist() == (p <= level).tolist()
        gap = (a - b) / n
        assert ((low <= gap) & (gap <= high) & (low >= -1) & (high <= 1)).all()
        assert ((low <= 0) | (a > b)).all() and ((high >= 0) | (a < b)).all()
        assert not (np.signbit(low) & (low == 0)).any() and not (np.signbit(high) & (high == 0)).any()
        # Turned round, the ends change places.
        turned = mcnemar_ends(b, a, n, level)
        assert ((turned[0] + high == 0) & (turned[1] + low == 0)).all()


def test_the_interval_is_that_of_the_score_test_but_for_what_it_says_of_0():
    # 30 against 10 of 100: both reject. 5 against 0: the exact p is 1/16, so an end moves to 0.
    score = score_interval(30, 10, 100)
    assert tuple(float(end[0]) for end in mcnemar_ends([30], [10], 100, 0.05)[:2]) == pytest.approx(score)
    low, high, p = mcnemar_ends([5], [0], 100, 0.05)
    assert (p[0], low[0], float(high[0])) == (0.0625, 0.0, pytest.approx(score_interval(5, 0, 100)[1]))
    # At 1e-5 the score interval of 18 against 0 of 30,000 still holds 0, and the exact p is 2^-17 < 1e-5. The
    # excess is at least 2 x (5e-6)^(1/18) - 1, of the share that Wilson's interval begins with.
    low, high, p = mcnemar_ends([18], [0], 30_000, 1e-5)
    z = norm.isf(5e-6)
    assert score_interval(18, 0, 30_000, level=1 - 1e-5)[0] < 0 < 1e-5 - p[0]
    share = proportion_confint(18, 30_000, alpha=1e-5, method="wilson")[0]
    assert low[0] == pytest.approx((2 * 5e-6 ** (1 / 18) - 1) * share, rel=1e-9)
    assert z == pytest.approx(4.4172, abs=1e-4)


@pytest.mark.parametrize("level", [0.05, 0.05 / 10, 1e-3])
def test_coverage_of_the_interval_that_agrees_with_the_exact_test(level):
    # Exact, over all outcomes of n items.
    for n, differ in ((30, 0.3), (100, 0.1), (200, 0.05), (200, 0.4)):
        a, b = (grid.ravel() for grid in np.mgrid[: n + 1, : n + 1])
        kept = (a + b <= n) & (binom.pmf(a + b, n, differ) > 1e-9)
        a, b = a[kept], b[kept]
        low, high, _ = mcnemar_ends(a, b, n, level)
        for share_a in (0.5, 0.6, 0.8, 0.95, 1.0):
            weights = binom.pmf(a + b, n, differ) * binom.pmf(a, a + b, share_a)
            gap = differ * (2 * share_a - 1)
            missed = weights[(low > gap) | (gap > high)].sum()
            # Of no difference the exact test is right as often as it says.
            assert missed <= level * (1 if share_a == 0.5 else 1.6), (n, differ, share_a)
