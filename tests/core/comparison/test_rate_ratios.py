import math

import numpy as np
import pytest
from scipy.stats import binomtest

from tellapart.core.comparison.effects import rate_ratios


def test_a_ratio_has_the_interval_and_p_of_the_exact_binomial_test():
    (ratio,) = rate_ratios([(7, 22)], 100)
    exact = binomtest(22, 29)
    ends = exact.proportion_ci(0.95, method="exact")
    assert ratio.value == pytest.approx(22 / 7)
    assert (ratio.low, ratio.high) == pytest.approx(
        (ends.low / (1 - ends.low), ends.high / (1 - ends.high)), rel=1e-9
    )
    assert ratio.p == pytest.approx(exact.pvalue, rel=1e-9)
    assert ratio.holds


def test_what_neither_or_only_one_has_is_told_as_such():
    neither, only_b, only_a = rate_ratios([(0, 0), (0, 9), (9, 0)], 50)
    assert (neither.value, neither.low, neither.high, neither.holds) == (None, 0.0, math.inf, False)
    assert (only_b.value, only_b.high, only_b.holds) == (math.inf, math.inf, True)
    assert only_b.low > 1
    assert (only_a.value, only_a.low) == (0.0, 0.0)
    assert only_a.high == pytest.approx(1 / only_b.low)


def test_several_are_corrected_together_and_no_interval_contradicts_its_test():
    rng = np.random.default_rng(6)
    for _ in range(300):
        counts = [(int(a), int(b)) for a, b in rng.poisson(rng.uniform(1, 25, (4, 2)))]
        for ratio in rate_ratios(counts, 200):
            assert ratio.holds == (not ratio.low <= 1 <= ratio.high)


def test_modes_that_are_as_frequent_in_both_are_claimed_in_few_tables():
    rng = np.random.default_rng(7)
    tables, wrong = 1_000, 0
    for _ in range(tables):
        shared = rng.random((60, 1)) < 0.5
        # Four modes; half of the items have the same one in both.
        a, b = rng.integers(0, 4, (2, 60))
        b = np.where(shared[:, 0], a, b)
        counts = [(int((a == mode).sum()), int((b == mode).sum())) for mode in range(4)]
        wrong += any(ratio.holds for ratio in rate_ratios(counts, 60))
    assert wrong / tables <= 0.05
