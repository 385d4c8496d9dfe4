import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from tellapart.core.stats.agreement import cohen_kappa, kappa_estimate
from tellapart.core.stats.intervals import wilson


def test_by_hand():
    # Both right 3, only the first 2, only the second 1, both wrong 4: they agree on 7 of 10, and chance gives
    # .5 x .4 + .5 x .6 = .5.
    first, second = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert cohen_kappa(first, second) == pytest.approx((0.7 - 0.5) / 0.5)
    assert cohen_kappa([1, 0], [0, 1]) == -1.0
    assert cohen_kappa([True, False, True], [True, False, True]) == 1.0


def test_as_scikit_learn_has_it():
    rng = np.random.default_rng(3)
    for _ in range(20):
        first, second = rng.random(30) < rng.random(), rng.random(30) < 0.5
        assert cohen_kappa(first, second) == pytest.approx(cohen_kappa_score(first, second))


def test_one_that_never_differs_agrees_as_by_chance():
    assert cohen_kappa([1, 1, 1], [1, 0, 1]) == 0.0


@pytest.mark.parametrize("verdicts", [[], [1, 1], [0, 0, 0]])
def test_undefined_where_chance_alone_makes_them_agree(verdicts):
    assert cohen_kappa(verdicts, verdicts) is None


def test_labels_of_several_kinds_by_hand():
    # They agree on 3 of 5. Chance gives (2 x 2 + 2 x 1 + 1 x 1 + 0 x 1) / 25 = 7/25.
    first, second = ["a", "a", "b", "b", "c"], ["a", "a", "b", "c", "d"]
    assert cohen_kappa(first, second) == pytest.approx((3 / 5 - 7 / 25) / (1 - 7 / 25))
    assert cohen_kappa(first, first) == 1.0
    assert cohen_kappa([], []) is None
    assert cohen_kappa(["a", "a"], ["a", "a"]) is None
    with pytest.raises(ValueError, match="5 and 1 entries"):
        cohen_kappa(first, ["a"])


def test_kappa_has_the_interval_of_the_agreement_on_its_scale():
    first, second = ["a", "a", "b", "b", "c"], ["a", "a", "b", "c", "d"]
    found, agreed = kappa_estimate(first, second), wilson(3, 5)
    assert found.value == cohen_kappa(first, second)
    # Agreement by chance is 7/25, as above.
    assert found.interval.low == pytest.approx((agreed.low - 0.28) / 0.72)
    assert found.interval.high == pytest.approx((agreed.high - 0.28) / 0.72)
    assert (found.n, found.reason) == (5, None)


def test_perfect_agreement_is_not_certain():
    found = kappa_estimate(["a", "b"] * 5, ["a", "b"] * 5)
    assert (found.value, found.interval.high) == (1.0, 1.0)
    # Wilson's low end of 10 of 10, 10 / (10 + 1.96^2), where chance agrees on half.
    assert found.interval.low == pytest.approx((10 / (10 + 1.959963985**2) - 0.5) / 0.5)


def test_kappa_without_a_value_or_an_interval_says_why():
    same = kappa_estimate(["a", "a", "a"], ["a", "a", "a"])
    assert (same.value, same.interval, same.reason) == (None, None, "every item has the label 'a' by both")
    assert kappa_estimate([], []).reason == "there are no items"
    one = kappa_estimate(["a"], ["b"])
    assert (one.value, one.interval) == (0.0, None)
    assert one.reason == "fewer than two values"
