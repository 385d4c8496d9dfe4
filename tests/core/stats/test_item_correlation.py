import math

import numpy as np
import pytest

from reference.items import rest_correlation
from tellapart.core.stats.consistency import rest_correlations


def drawn(seed, models, items, missing=0.0):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 5, (models, items)) / 4
    scores[rng.random(scores.shape) < missing] = np.nan
    return scores


def as_lists(scores):
    return [[None if math.isnan(s) else s for s in row] for row in scores.tolist()]


def test_by_hand():
    # Of two items each is the rest of the other. Deviations (1, 1, -1, -1)/2 and (3, -1, -1, -1)/4: products
    # sum to 1/2, squares to 1 and 3/4: r = 1/2 / sqrt(3/4) = 1/sqrt(3).
    found = rest_correlations([[1, 1], [1, 0], [0, 0], [0, 0]])
    assert found.tolist() == pytest.approx([1 / math.sqrt(3)] * 2)


def test_agrees_with_the_definition_where_scores_are_missing():
    for seed in range(8):
        scores = drawn(seed, 8, 12, missing=0.25)
        found = rest_correlations(scores)
        for item in range(12):
            r, _ = rest_correlation(as_lists(scores), item, range(8))
            assert math.isnan(found[item]) if r is None else found[item] == pytest.approx(r, abs=1e-12)


def test_neither_the_order_of_the_models_nor_scale_and_shift_matter():
    scores = drawn(2, 9, 30, missing=0.1)
    found = rest_correlations(scores)
    order = np.random.default_rng(0).permutation(9)
    assert rest_correlations(scores[order]).tolist() == pytest.approx(found.tolist(), nan_ok=True)
    assert rest_correlations(1e6 + scores * 8).tolist() == pytest.approx(found.tolist(), nan_ok=True)


@pytest.mark.parametrize(
    "scores",
    [
        np.zeros((0, 3)),
        np.full((5, 3), np.nan),
        np.full((5, 3), 0.1),
        np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0]]),  # three models
        np.array([[1, np.nan], [0, np.nan], [1, np.nan], [0, np.nan], [1.0, 1.0]]),  # no other item
        np.eye(5)[:, :1],
    ],
)
def test_undefined_is_nan(scores):
    found = rest_correlations(scores)
    assert np.isnan(found).all() and len(found) == scores.shape[1]


def test_means_that_differ_by_rounding_alone_do_not_vary():
    rng = np.random.default_rng(8)
    values = [0.1, 0.2, 0.3, 0.7, 0.9, 0.4]
    scores = np.array([[m / 9, *rng.permutation(values)] for m in range(9)])
    assert len({row.sum() - row[0] for row in scores}) > 1
    assert np.isnan(rest_correlations(scores)[0])
