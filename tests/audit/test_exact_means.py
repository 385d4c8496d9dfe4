from types import SimpleNamespace

import numpy as np
import pytest

from tellapart.audit.exact_means import ExactScores, tau_b

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
