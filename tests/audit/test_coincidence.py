import math

import numpy as np
import pytest

from tellapart.audit.duplicates import STEPS, behaviour, expected_alike

NEVER_MORE = np.inf


def coded(scores):
    scores = np.asarray(scores, dtype=float)
    return np.where(np.isnan(scores), -1, np.rint(scores * STEPS)).astype(np.int32)


def expected(scores, items, most=NEVER_MORE):
    items = np.asarray(items)
    return expected_alike(behaviour(coded(scores)), items, np.full(len(items), most)).tolist()


def test_two_models_by_hand():
    # Both models pass half of the four items, each of which one passes: a vector has a chance of 1/4, its sum
    # of 1/2, so of the four items with that sum 4 x 1/4 / 1/2 = 2 have it. Along the tree the second model is
    # given the first: from the one other item like it, and its own rate worth five, it has a chance of
    # (1 + 5/2)/(1 + 5) = 7/12: 4 x 1/2 x 7/12 / 1/2 = 7/3.
    scores = [[1, 1, 0, 0], [0, 0, 1, 1]]
    assert expected(scores, [0, 2], most=0.0) == pytest.approx([2, 2])
    assert expected(scores, [0, 2]) == pytest.approx([7 / 3, 7 / 3])


def test_many_models_that_have_nothing_in_common():
    # Among 4,000 items passed by half of 12 models at random, each of the 924 vectors has 4,000/924 items.
    rng = np.random.default_rng(0)
    scores = np.array([rng.permutation([0, 1] * 6) for _ in range(4_000)]).T
    alone, found = (np.mean(expected(scores, np.arange(50), most)) for most in (0.0, NEVER_MORE))
    assert alone == pytest.approx(4_000 / 924, rel=0.02)
    assert alone <= found <= 1.2 * alone


def test_the_expectation_is_that_of_items_of_the_same_difficulty():
    # Two models pass the hard items, ten the easy ones: which two is rarely the same, as is which two fail.
    rng = np.random.default_rng(1)
    hard = np.array([rng.permutation([1] * 2 + [0] * 10) for _ in range(660)]).T
    scores = np.concatenate([hard, 1 - hard], axis=1)
    assert expected(scores, [0, 660]) == pytest.approx([10, 10], rel=0.25)


def test_models_that_go_wrong_together_make_coincidences():
    # Six pairs of models that always agree: 20 vectors and not 924.
    rng = np.random.default_rng(2)
    scores = np.repeat(np.array([rng.permutation([0, 1] * 3) for _ in range(2_000)]).T, 2, axis=0)
    found = np.array(expected(scores, np.arange(30)))
    alone = np.array(expected(scores, np.arange(30), most=0.0))
    assert (found > 20).all() and (alone < 3).all()


def test_a_model_that_never_varies_within_a_bin_adds_nothing():
    rng = np.random.default_rng(3)
    scores = np.array([rng.permutation([0, 1] * 3) for _ in range(500)]).T
    found = expected(scores, np.arange(9), most=0.0)
    wider = np.concatenate([scores, np.ones((1, 500))])
    assert expected(wider, np.arange(9), most=0.0) == pytest.approx(found)


def test_graded_scores_are_compared_within_a_bin():
    # Of two models with scores of their own, each score is one of fifty in its bin: 50 x 1/50 x 1/50 = 1/50,
    # over the chance that the mean of two independent ones lies in the bin.
    rng = np.random.default_rng(4)
    values = np.sort(rng.random(100)) / 3
    found = expected([values, values + 1 / 3], [0, 99], most=0.0)
    assert [1 / 50 <= e <= 1 / 20 for e in found] == [True, True]


def test_missing_scores_are_certain():
    rng = np.random.default_rng(5)
    scores = np.array([rng.permutation([0.0, 1.0] * 4) for _ in range(600)]).T
    before = expected(scores, [0], most=0.0)[0]
    scores[3:, 0] = np.nan
    scores[:3, 0] = 0, 1, 0
    # Three halves instead of eight scores whose sum is given.
    assert expected(scores, [0], most=0.0)[0] > 5 * before


@pytest.mark.parametrize(("items", "bins"), [(1, 1), (99, 1), (100, 2), (149, 2), (150, 3), (100_000, 32)])
def test_bins_are_of_fifty_items_or_a_thirty_second(items, bins):
    scores = np.stack([np.arange(items) / items / 2, np.full(items, 1.0)])
    sorted_in = behaviour(coded(scores))
    sizes = np.bincount(sorted_in.bins)
    assert len(sizes) == bins == len(sorted_in.edges) - 1
    assert sizes.min() >= min(items, 50)
    inside = (sorted_in.means > sorted_in.edges[sorted_in.bins]) & (
        sorted_in.means < sorted_in.edges[sorted_in.bins + 1]
    )
    assert inside.all()


def test_items_of_one_mean_are_in_one_bin():
    scores = np.zeros((4, 300))
    scores[0], scores[1, 10:], scores[2, 260:] = 1, 1, 1
    sizes = np.bincount(behaviour(coded(scores)).bins)
    assert sizes.tolist() == [300]
    scores[1, 10:60] = 0
    assert np.bincount(behaviour(coded(scores)).bins).tolist() == [60, 240]


@pytest.mark.parametrize(
    ("values", "spacing"), [((0, 1), 1), ((0, 1, 0.5, 0.75), 4), ((0, 1, 1 / 3, 0.5), 6)]
)
def test_spacing(values, spacing):
    scores = np.array([values, np.roll(values, 1)], dtype=float)
    assert behaviour(coded(scores)).spacing == STEPS // spacing


def test_sums_that_are_rare_though_scores_are_few():
    # Four items on which two models have the same rare score, among 400 of noughts and ones: given their sum
    # no other vector is possible but with the two others turned, so that half are expected, not next to none.
    rng = np.random.default_rng(6)
    scores = np.array([rng.permutation([0, 0, 1, 1]) for _ in range(404)], dtype=float).T
    scores[:, :4] = [[0.2] * 4, [0.2] * 4, [1.0] * 4, [0.0] * 4]
    assert expected(scores, [0], most=0.0)[0] > 0.2
    assert math.isfinite(expected(scores, [0])[0])
