import numpy as np
import pytest

from reference.items import alpha
from tellapart.core.stats.consistency import consistency

BINARY = [[1, 1, 1, 1, 0], [1, 1, 0, 1, 0], [1, 0, 1, 0, 0], [1, 1, 0, 0, 0], [0, 1, 0, 0, 1], [0] * 5]
GRADED = [[0.9, 0.4, 0.75], [0.5, 0.3, 0.5], [0.7, 0.1, 0.25], [0.2, 0.35, 0.1]]


def test_kr20_by_hand():
    # Passes 4, 4, 2, 2, 1 of 6: p q sums to (8 + 8 + 8 + 8 + 5)/36 = 37/36. Totals 4, 3, 2, 2, 2, 0: mean
    # 13/6, variance (with n) 37/6 - 169/36 = 53/36. 5/4 x (1 - 37/53) = 20/53, as pingouin 0.7.0 has it.
    found = consistency(BINARY)
    assert found.coefficient == "kr20"
    assert found.value == pytest.approx(20 / 53, abs=1e-15)
    assert found.complete.tolist() == [True] * 5


def test_alpha_agrees_with_the_definition_and_with_pingouin():
    found = consistency(GRADED)
    assert found.coefficient == "alpha"
    assert found.value == pytest.approx(float(alpha(GRADED)), abs=1e-14)
    assert found.value == pytest.approx(0.6874625074985004, abs=1e-14)  # pingouin 0.7.0, cronbach_alpha


def test_copies_of_an_item_are_consistent_and_mirrors_are_not():
    scores = np.array([0.1, 0.5, 0.6, 0.9])
    assert consistency(np.tile(scores, (4, 1)).T).value == pytest.approx(1.0)
    # Three copies and a mirror: variances 4 v, of totals (3 - 1)^2 v: 4/3 x (1 - 1) = 0.
    assert consistency(np.stack([scores, scores, scores, 1 - scores], axis=1)).value == pytest.approx(0.0)


def test_only_items_that_every_model_has_a_score_on():
    scores = np.array([[np.nan, *row] for row in BINARY])
    scores[0, 0] = 1.0
    found = consistency(scores)
    assert found.value == pytest.approx(20 / 53)
    assert found.complete.tolist() == [False] + [True] * 5


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
