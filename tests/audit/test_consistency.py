import math

import numpy as np
import pytest

from reference.items import alpha, rest_correlation
from tellapart.audit.items import consistency, rest_correlations
from tellapart.audit.ranking import kendall_tau_b


def drawn(seed, models, items, missing=0.0):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 5, (models, items)) / 4
    scores[rng.random(scores.shape) < missing] = np.nan
    return scores


def as_lists(scores):
    return [[None if math.isnan(s) else s for s in row] for row in scores.tolist()]


def test_rest_correlations_by_hand():
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


BINARY = [[1, 1, 1, 1, 0], [1, 1, 0, 1, 0], [1, 0, 1, 0, 0], [1, 1, 0, 0, 0], [0, 1, 0, 0, 1], [0] * 5]
GRADED = [[0.9, 0.4, 0.75], [0.5, 0.3, 0.5], [0.7, 0.1, 0.25], [0.2, 0.35, 0.1]]


def test_kr20_by_hand():
    # Passes 4, 4, 2, 2, 1 of 6: p q sums to (8 + 8 + 8 + 8 + 5)/36 = 37/36. Totals 4, 3, 2, 2, 2, 0: mean
    # 13/6, variance (with n) 37/6 - 169/36 = 53/36. 5/4 x (1 - 37/53) = 20/53, as pingouin 0.7.0 has it.
    found = consistency(BINARY)
    assert found.name == "KR-20"
    assert found.value == pytest.approx(20 / 53, abs=1e-15)
    assert found.items == 5


def test_alpha_agrees_with_the_definition_and_with_pingouin():
    found = consistency(GRADED)
    assert found.name == "Cronbach's α"
    assert found.value == pytest.approx(float(alpha(GRADED)), abs=1e-14)
    assert found.value == pytest.approx(0.6874625074985004, abs=1e-14)  # pingouin 0.7.0, cronbach_alpha


def test_only_items_that_every_model_has_a_score_on():
    scores = np.array([[np.nan, *row] for row in BINARY])
    scores[0, 0] = 1.0
    found = consistency(scores)
    assert found.value == pytest.approx(20 / 53)
    assert found.items == 5


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        (np.zeros((0, 3)), "it needs three models; there is none"),
        (np.ones((1, 3)), "it needs three models; there is 1"),
        ([[1, 1, 0], [0, 0, 0]], "it needs three models; there are 2"),
        (np.ones((3, 0)), "it needs two items that every model has a score on; there is none"),
        ([[0.0], [1.0], [1.0]], "it needs two items that every model has a score on; there is 1"),
        (
            [[0.0, np.nan], [np.nan, 1.0], [1.0, 0.0]],
            "it needs two items that every model has a score on; there is none",
        ),
        ([[0, 1], [1, 0], [0, 1]], "all models have the same total"),
        ([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.1, 0.3]], "all models have the same total"),
    ],
)
def test_no_value_and_why(scores, reason):
    found = consistency(scores)
    assert (found.value, found.reason) == (None, reason)


NAN = float("nan")


def test_tau_b_by_hand():
    # Pairs: 1-2 tied left; 1-3, 2-3, 1-4 and 2-4 concordant; 3-4 discordant. Untied left
    # 5, right 6: (4 - 1) / sqrt(30).
    assert kendall_tau_b(np.array([[1.0, 1, 2, 3]]), np.array([[1.0, 2, 4, 3]])) == [3 / np.sqrt(30)]
    assert kendall_tau_b(np.array([[1.0, 2, 3]]), np.array([[5.0, 6, 9]])) == [1.0]
    assert kendall_tau_b(np.array([[1.0, 2, 3]]), np.array([[3.0, 2, 1]])) == [-1.0]


def test_what_is_undefined_is_none():
    left = np.array([[1.0, 2, 3], [1, 2, NAN], [1, 1, 1], [1, 2, 3], [NAN, NAN, NAN]])
    right = np.array([[1.0, 2, 3], [1, 2, 3], [1, 2, 3], [7, 7, 7], [1, 2, 3]])
    found = kendall_tau_b(left, right)
    assert found[0] == pytest.approx(1, abs=1e-15)
    assert found[1:] == [None] * 4
    assert kendall_tau_b(np.empty((0, 4)), np.empty((0, 4))) == []
    assert kendall_tau_b(np.empty((2, 0)), np.empty((2, 0))) == [None, None]
