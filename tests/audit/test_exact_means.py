from types import SimpleNamespace

import numpy as np
import pytest

from tellapart.audit.exact_means import ExactScores, fixed_point, tau_b

SCORES = np.array([[0.1, 0.2, np.nan, 0], [0.3, 0, 0.5, np.nan], [-2, 2, 1, 1]])


def scored(scores):
    return ExactScores.of(SimpleNamespace(scores=scores, items=np.arange(scores.shape[1])))


def test_means_by_group_are_shares_of_the_greatest_score():
    means = scored(SCORES).means(np.array([1, 1, 0, -1]), 3)
    expected = np.array([[np.nan, 0.25, 0.5], [0.075, 0.075, 0], [np.nan, np.nan, np.nan]])
    np.testing.assert_allclose(means, expected, atol=1e-12)


def test_means_do_not_depend_on_the_order_of_items():
    rng = np.random.default_rng(0)
    scores, group = rng.random((3, 500)) / 3, np.zeros(500, dtype=int)
    means = {tuple(scored(scores[:, rng.permutation(500)]).means(group, 1)[0]) for _ in range(10)}
    assert len(means) == 1
    np.testing.assert_allclose(means.pop(), scores.mean(axis=1) / scores.max(), rtol=1e-12)


def test_means_that_rounding_alone_tells_apart_tie():
    # 0.1 + 0.2 is not 0.3, neither in floating nor in fixed point.
    exact = scored(SCORES)
    means = exact.means(np.array([0, 0, -1, -1]), 1)
    assert exact.sums(np.array([0, 0, -1, -1]), 1)[0] != exact.sums(np.array([0, 0, -1, -1]), 1)[1]
    assert tau_b(means, np.array([[1.0, 1, 0]])) == [1]
    assert tau_b(means, np.array([[1.0, 1.001, 0]])) == [pytest.approx(2 / np.sqrt(2 * 3))]


def test_no_scores_at_all():
    assert np.isnan(scored(np.full((2, 3), np.nan)).means(np.zeros(3, dtype=int), 1)).all()
    assert (scored(np.zeros((2, 3))).means(np.zeros(3, dtype=int), 1) == 0).all()


def test_sums_do_not_depend_on_the_order():
    rng = np.random.default_rng(1)
    values = rng.normal(size=10_000) * 10.0 ** rng.integers(-6, 4, 10_000)
    fixed = fixed_point(values, len(values))
    sums = {float(rng.permutation(fixed.units).cumsum()[-1]) for _ in range(20)}
    assert len(sums) == 1
    assert len({float(rng.permutation(values).cumsum()[-1]) for _ in range(20)}) > 1
    assert sums.pop() * fixed.unit == pytest.approx(values.sum(), rel=1e-7)


def test_the_error_is_as_promised():
    values = np.array([1 / 3, -5.0, 0.1, 0.0])
    fixed = fixed_point(values, 1000)
    assert (fixed.units == np.rint(fixed.units)).all()
    assert np.abs(fixed.units * fixed.unit - values).max() <= 2.0**-52 * 1000 * 5
    assert np.abs(fixed.units).max() * 1000 <= 2**53
    # As fine as that: another bit would not fit for the greatest value and the most addends.
    assert fixed_point(np.array([1.0]), 2**20).unit == 2.0**-32


def test_zeros_ones_and_nothing():
    fixed = fixed_point(np.array([[0.0, 1.0], [1.0, 0.0]]), 4)
    assert (fixed.units * fixed.unit == [[0, 1], [1, 0]]).all()
    assert fixed_point(np.zeros(3), 3).units.tolist() == [0, 0, 0]
    assert fixed_point(np.empty(0), 0).units.tolist() == []
