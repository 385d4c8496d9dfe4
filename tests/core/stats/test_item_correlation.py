import math

import numpy as np
import pytest
from scipy.stats import false_discovery_control
from scipy.stats import t as student

from reference.items import arrangements, rest_correlation
from tellapart.core.stats.item_correlation import rest_correlations


def drawn(seed, models, items, missing=0.0):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 5, (models, items)) / 4
    scores[rng.random(scores.shape) < missing] = np.nan
    return scores


def as_lists(scores):
    return [[None if math.isnan(s) else s for s in row] for row in scores.tolist()]


def test_by_hand():
    # Of two items each is the rest of the other. Deviations (1, 1, -1, -1)/2 and (3, -1, -1, -1)/4: products
    # sum to 1/2, squares to 1 and 3/4: r = 1/2 / sqrt(3/4) = 1/sqrt(3); t = r sqrt(2) / sqrt(1 - r^2) = 1.
    found = rest_correlations([[1, 1], [1, 0], [0, 0], [0, 0]])
    assert found.r.tolist() == pytest.approx([1 / math.sqrt(3)] * 2)
    assert found.n.tolist() == [4, 4]
    assert found.p_negative().tolist() == pytest.approx([student.cdf(1, 2)] * 2)


def test_agrees_with_the_definition_where_scores_are_missing_and_models_left_out():
    for seed in range(8):
        scores = drawn(seed, 8, 12, missing=0.25)
        lists, found = as_lists(scores), rest_correlations(scores)
        for out in ((), (3,), (1, 6)):
            left = found.without(*out) if out else found
            models = [m for m in range(8) if m not in out]
            for item in range(12):
                r, n = rest_correlation(lists, item, models)
                assert left.n[item] == n
                assert math.isnan(left.r[item]) if r is None else left.r[item] == pytest.approx(r, abs=1e-12)


def test_p_is_students_and_no_less_than_the_chance_of_one_arrangement():
    scores = drawn(3, 6, 40)
    scores[0, :20] = np.nan
    found = rest_correlations(scores)
    p = found.p_negative()
    at_the_floor = 0
    assert not np.isnan(p).any()
    for item in range(40):
        r, n = found.r[item], int(found.n[item])
        by_t = student.cdf(r * math.sqrt((n - 2) / (1 - r * r)), n - 2)
        floor = 1 / arrangements([s for s in scores[:, item].tolist() if not math.isnan(s)])
        assert p[item] == pytest.approx(max(by_t, floor))
        at_the_floor += by_t < floor
    assert at_the_floor  # else the test has not seen one


def one_odd_model():
    """Nineteen models pass most of the first hundred items, the odd one none; it alone passes the last."""
    scores = np.ones((20, 101))
    scores[0, :100], scores[1:, 100] = 0.0, 0.0
    scores[1:, :20] = np.random.default_rng(0).integers(0, 2, (19, 20))
    return scores


def test_the_odd_model_does_not_condemn_what_it_alone_solves():
    found = rest_correlations(one_odd_model())
    assert found.r[100] < -0.97
    assert found.p_negative()[100] == pytest.approx(1 / 20)
    assert not found.negative()[100]


@pytest.mark.parametrize("out", [(), (0, 5)])
def test_finds_are_those_of_benjamini_and_hochberg(out):
    rng = np.random.default_rng(5)
    ability = np.linspace(-2, 2, 24)[:, None] * np.where(np.arange(300) < 30, -1, 1)
    scores = (rng.random((24, 300)) < 1 / (1 + np.exp(-1.5 * ability))).astype(float)
    scores[rng.random(scores.shape) < 0.1] = np.nan
    scores[:, 299] = 1.0
    found = rest_correlations(scores)
    found = found.without(*out) if out else found
    p, known = found.p_negative(), ~np.isnan(found.r)
    expected = np.zeros(300, dtype=bool)
    expected[known] = false_discovery_control(p[known]) <= 0.05
    assert found.negative().tolist() == expected.tolist()
    assert np.count_nonzero(expected[:30]) >= 20 and np.count_nonzero(expected[30:]) <= 2


def test_without_a_difference_a_twentieth_has_p_below_a_twentieth_and_nothing_is_found():
    scores = np.random.default_rng(0).normal(size=(12, 20_000))
    found = rest_correlations(scores)
    # Of 20,000, 1,000 +- 31 are expected.
    assert np.count_nonzero(found.p_negative() <= 0.05) == pytest.approx(1_000, abs=93)
    assert not found.negative().any()


def test_neither_the_order_of_the_models_nor_scale_and_shift_matter():
    scores = drawn(2, 9, 30, missing=0.1)
    found = rest_correlations(scores).r
    order = np.random.default_rng(0).permutation(9)
    assert rest_correlations(scores[order]).r.tolist() == pytest.approx(found.tolist(), nan_ok=True)
    assert rest_correlations(1e6 + scores * 8).r.tolist() == pytest.approx(found.tolist(), nan_ok=True)


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
def test_undefined_is_nan_and_never_a_find(scores):
    found = rest_correlations(scores)
    assert np.isnan(found.r).all() and np.isnan(found.p_negative()).all() and not found.negative().any()
    assert len(found.r) == scores.shape[1]


def test_means_that_differ_by_rounding_alone_do_not_vary():
    rng = np.random.default_rng(8)
    values = [0.1, 0.2, 0.3, 0.7, 0.9, 0.4]
    scores = np.array([[m / 9, *rng.permutation(values)] for m in range(9)])
    assert len({row.sum() - row[0] for row in scores}) > 1
    assert np.isnan(rest_correlations(scores).r[0])


def test_a_model_with_a_score_on_no_other_item_has_no_part():
    scores = one_odd_model()
    found = rest_correlations(scores)
    alone = np.full((1, 101), np.nan)
    alone[0, 100] = 0.33
    more = rest_correlations(np.concatenate([scores, alone]))
    assert more.r.tolist() == pytest.approx(found.r.tolist(), nan_ok=True) and more.n[100] == 20
    assert more.p_negative()[100] == found.p_negative()[100] == pytest.approx(1 / 20)
