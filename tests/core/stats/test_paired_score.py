import numpy as np
import pytest
from scipy.stats import binom

from reference import pairs as reference
from tellapart.core.stats import mcnemar_exact, paired_score, paired_score_interval

Z = 1.959963984540054


@pytest.mark.parametrize(
    ("only_a", "only_b", "n", "low", "high"),
    [
        # Airway reactivity (Bentur et al. 2009) and complete response (Cavo et al. 2012) as in Fagerland,
        # Lydersen and Laake 2017, "Statistical Analysis of Contingency Tables", chapter 8; R's
        # contingencytables 3.0.0 prints the latter as -0.1240 to -0.0054.
        (1, 7, 21, -0.517, -0.026),
        (6, 16, 161, -0.124, -0.0054),
    ],
)
def test_published_intervals(only_a, only_b, n, low, high):
    found = paired_score_interval([only_a], [only_b], [n])
    assert [float(end[0]) for end in found] == pytest.approx([low, high], abs=6e-4)


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


@pytest.mark.parametrize("counts", [(3, 1, 150), (31, 40, 400), (9, 9, 90), (5_000, 4_000, 5_000_000)])
def test_the_test_rejects_beyond_the_ends_only(counts):
    low, high = (float(end[0]) for end in paired_score_interval(*([count] for count in counts)))
    assert paired_score(*counts, high) == pytest.approx(-Z, rel=1e-6)
    assert paired_score(*counts, low) == pytest.approx(Z, rel=1e-6)


def test_by_hand():
    # Of 3 items on one side McNemar's statistic is sqrt(3) < 1.96, of 4 it is 2; the exact test asks for 6.
    low, high = paired_score_interval([3, 4, 3], [0, 0, 0], [200, 200, 50])
    assert (np.sign(low) == [-1, 1, -1]).all() and (high > [0.015, 0.02, 0.06]).all()
    assert [mcnemar_exact(k, 0) <= 0.05 for k in (4, 5, 6)] == [False, False, True]
    # Models that never differ: n d^2 / (d (1 - d)) = z^2, so d = z^2 / (n + z^2).
    low, high = paired_score_interval([0, 0], [0, 0], [100, 1])
    assert high == pytest.approx([Z**2 / (100 + Z**2), Z**2 / (1 + Z**2)])
    assert low.tolist() == (-high).tolist()
    # Nothing is beyond 1.
    low, high = paired_score_interval([50, 0], [0, 50], [50, 50])
    assert (high[0], low[1]) == (1, -1)
    assert 0.8 < low[0] < 1 and -1 < high[1] < -0.8


def test_level_names_and_number():
    narrow = paired_score_interval([9], [4], [80], level=0.5)
    wide = paired_score_interval([9], [4], [80])
    assert wide[0] < narrow[0] < 5 / 80 < narrow[1] < wide[1]
    turned = paired_score_interval([4], [9], [80])
    assert (turned[0], turned[1]) == (-wide[1], -wide[0])
    assert [end.shape for end in paired_score_interval([], [], [])] == [(0,), (0,)]


@pytest.mark.parametrize(("n", "differ"), [(30, 0.3), (100, 0.1), (200, 0.05)])
def test_coverage(n, differ):
    # Exact, over all outcomes: with rates equal, and A the only one to be right alone.
    a, b = (grid.ravel() for grid in np.mgrid[: n + 1, : n + 1])
    a, b = a[a + b <= n], b[a + b <= n]
    low, high = paired_score_interval(a, b, np.full(len(a), n))
    for share_a, least in ((0.5, 0.94), (1.0, 0.925)):
        weights = binom.pmf(a + b, n, differ) * binom.pmf(a, a + b, share_a)
        gap = differ * (2 * share_a - 1)
        assert least < weights[(low <= gap) & (gap <= high)].sum() < 0.99


def test_gaps_too_small_for_squares():
    for gap in (1e-17, 1e-300, 5e-324):
        assert paired_score([0, 3, 3], [0, 3, 0], 40, gap) == pytest.approx([0, 0, 3**0.5], abs=1e-7)
