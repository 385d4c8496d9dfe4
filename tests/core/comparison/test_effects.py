import math

import numpy as np
import pytest
from scipy.stats import binomtest

from tellapart.core.comparison.effects import ChanceOutcome, judge_chance, rate_ratios
from tellapart.core.estimate import Interval


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (0.08, 0.12, "at chance"),
        (0.071, 0.129, "at chance"),
        (0.09, 0.13, "cannot tell"),
        (0.07, 0.11, "cannot tell"),
        (0.01, 0.069, "below chance"),
        (0.131, 0.2, "above chance"),
        (0.12, 0.14, "cannot tell"),
        (0.0, 1.0, "cannot tell"),
    ],
)
def test_the_interval_lies_within_the_margin_or_beyond_it_or_neither(low, high, outcome):
    # Chance .1 and a margin of .03 leave .07 to .13.
    assert judge_chance(Interval(low, high), 0.1) is ChanceOutcome(outcome)


def test_without_an_interval_nothing_is_said():
    assert judge_chance(None, 0.1) is judge_chance(Interval(0.1, 0.1), None) is ChanceOutcome.UNCLEAR


def test_a_ratio_has_the_interval_and_p_of_the_exact_binomial_test():
    (ratio,) = rate_ratios([(7, 22)], 100)
    exact = binomtest(22, 29)
    ends = exact.proportion_ci(0.95, method="exact")
    assert ratio.value == pytest.approx(22 / 7)
    assert (ratio.low, ratio.high) == pytest.approx([end / (1 - end) for end in ends], rel=1e-9)
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
