import numpy as np
import pytest
from scipy.stats import quantile_test

from reference.bundles import quantile
from tellapart.core.stats.order_statistics import TOO_FEW, quantile_estimates


def only(values, q, clusters=None):
    (found,) = quantile_estimates(values, [q], clusters)
    return found


def ends(found):
    return found.interval.low, found.interval.high


def test_the_median_of_ten_by_hand():
    # Of ten fair coins P(B <= 1) = 11/1024 = .011 and P(B <= 2) = .055, so 2.5 % cuts off one value a side:
    # from the 2nd to the 9th.
    found = only([7, 1, 2, 3, 10, 4, 5, 6, 8, 9], 0.5)
    assert (found.value, ends(found), found.n, found.reason) == (5.5, (2, 9), 10, None)


@pytest.mark.parametrize(("q", "n"), [(0.5, 6), (0.1, 36), (0.9, 36)])
def test_too_few_values_have_no_interval_and_a_reason(q, n):
    # The lowest value is below the median with 1 - 2^-n: 2.5 % needs six. (9/10)^n <= 2.5 % needs 36.
    values = np.arange(n, dtype=float)
    assert only(values, q).interval is not None
    found = only(values[:-1], q)
    assert (found.interval, found.reason) == (None, TOO_FEW)
    assert found.value == pytest.approx(quantile(values[:-1], q))


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [40, 333])
def test_agrees_with_scipy(q, n):
    values = np.random.default_rng(n).normal(size=n)
    theirs = quantile_test(values, p=q).confidence_interval(0.95)
    assert ends(only(values, q)) == (theirs.low, theirs.high)


def test_covers_the_true_quantile_as_often_as_it_says_also_in_clusters():
    # 60 sources of 4 values, of which the source is half the variance: N(0, 2) has the median 0.
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(60), 4)
    covered = {True: 0, False: 0}
    for _ in range(400):
        values = rng.normal(size=60)[clusters] + rng.normal(size=240)
        for known in covered:
            low, high = ends(only(values, 0.5, clusters if known else None))
            covered[known] += low <= 0 <= high
    # Three standard errors of 95 % in 400 are 3.3 points.
    assert covered[True] / 400 >= 0.917
    assert covered[False] / 400 < 0.9
