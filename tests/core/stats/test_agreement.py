import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from tellapart.core.stats.agreement import kappa_estimate
from tellapart.core.stats.intervals import wilson


def test_by_hand_with_the_interval_of_the_agreement_on_its_scale():
    # They agree on 3 of 5. Chance gives (2 x 2 + 2 x 1 + 1 x 1 + 0 x 1) / 25 = 7/25.
    found, agreed = kappa_estimate(["a", "a", "b", "b", "c"], ["a", "a", "b", "c", "d"]), wilson(3, 5)
    assert found.value == pytest.approx((3 / 5 - 7 / 25) / (1 - 7 / 25))
    assert found.interval.low == pytest.approx((agreed.low - 0.28) / 0.72)
    assert found.interval.high == pytest.approx((agreed.high - 0.28) / 0.72)
    assert (found.n, found.reason) == (5, None)
    # One that never differs agrees as by chance, and perfect agreement is not certain: Wilson's low end of 10
    # of 10 is 10 / (10 + 1.96^2), where chance agrees on half.
    assert kappa_estimate(["a", "a", "a"], ["a", "b", "a"]).value == 0.0
    perfect = kappa_estimate(["a", "b"] * 5, ["a", "b"] * 5)
    assert (perfect.value, perfect.interval.high) == (1.0, 1.0)
    assert perfect.interval.low == pytest.approx((10 / (10 + 1.959963985**2) - 0.5) / 0.5)


def test_as_scikit_learn_has_it():
    rng = np.random.default_rng(3)
    for _ in range(20):
        first, second = rng.random(30) < rng.random(), rng.random(30) < 0.5
        assert kappa_estimate(first, second).value == pytest.approx(cohen_kappa_score(first, second))


def test_kappa_without_a_value_or_an_interval_says_why():
    same = kappa_estimate(["a", "a", "a"], ["a", "a", "a"])
    assert (same.value, same.interval, same.reason) == (None, None, "every item has the label 'a' by both")
    assert kappa_estimate([], []).reason == "there are no items"
    one = kappa_estimate(["a"], ["b"])
    assert (one.value, one.interval) == (0.0, None)
    assert one.reason == "fewer than two values"
