import math

import numpy as np
import pytest

from tellapart.audit import duplicates
from tellapart.audit.duplicates import STEPS, behaviour, expected_alike, first_alike


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def passes(seed, models, items, family=0.0):
    """Noughts and ones from abilities and difficulties; to families of five models items are alike."""
    rng = np.random.default_rng(seed)
    shared = np.repeat(rng.normal(size=(-(-models // 5), items)), 5, axis=0)[:models] * family
    logits = rng.normal(size=(models, 1)) - rng.normal(size=items) * 1.5 + shared
    return (rng.random((models, items)) < sigmoid(logits)).astype(float)


def graded(seed, models, items, decimals=3):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(models, 1)) - rng.normal(size=items) + rng.normal(size=(models, items))
    return np.round(sigmoid(logits), decimals)


@pytest.mark.parametrize("scores", [graded(0, 8, 200), passes(0, 60, 200)])
def test_copies_are_found_and_name_the_first(scores):
    scores[:, [150, 160]] = scores[:, [20]]
    scores[:, 99] = scores[:, 98]
    found = first_alike(scores)
    assert {at: twin for at, twin in enumerate(found.tolist()) if twin >= 0} == {150: 20, 160: 20, 99: 98}


@pytest.mark.parametrize("family", [0.0, 1.5])
@pytest.mark.parametrize(
    ("models", "items"), [(2, 50), (4, 1_800), (10, 200), (20, 60), (20, 2_000), (50, 300)]
)
def test_coincidences_are_not_duplicates(models, items, family):
    # Four models give sixteen vectors to 1,800 items: nearly every item has its like.
    found = [np.count_nonzero(first_alike(passes(seed, models, items, family)) >= 0) for seed in range(6)]
    assert sum(found) <= 1


@pytest.mark.parametrize(("models", "decimals"), [(4, 0), (4, 1), (12, 1), (3, 2)])
def test_coincidences_of_rounded_scores_are_not_duplicates(models, decimals):
    found = [np.count_nonzero(first_alike(graded(seed, models, 800, decimals)) >= 0) for seed in range(4)]
    assert sum(found) <= 1


def test_few_models_cannot_show_copies_of_noughts_and_ones():
    scores = passes(1, 5, 400)
    scores[:, 300:350] = scores[:, :50]
    assert (first_alike(scores) == -1).all()


def test_a_model_missing_on_both_does_not_hide_a_copy_and_on_one_does():
    scores = graded(3, 9, 150)
    scores[2, 10] = np.nan
    scores[:, 40] = scores[:, 10]
    scores[:, 41] = scores[:, 11]
    scores[2, 41] = np.nan
    found = first_alike(scores)
    assert found[40] == 10 and found[41] == -1


def test_rounding_in_the_last_digits_hides_no_copy():
    scores = graded(4, 9, 150)
    scores[:, 40] = scores[:, 10] + 1e-9
    assert first_alike(scores)[40] == 10


def test_items_on_which_all_do_the_same_are_no_duplicates():
    scores = graded(5, 9, 150)
    scores[:, :30] = 1.0
    scores[:, 30:40] = 0.123
    scores[1:, 40:50] = np.nan
    assert (first_alike(scores) == -1).all()


def test_the_order_of_models_and_scale_and_shift_do_not_matter():
    scores = graded(6, 9, 200)
    scores[:, 150] = scores[:, 20]
    found = first_alike(scores).tolist()
    assert first_alike(scores[::-1]).tolist() == found
    assert first_alike(scores * 50 - 7).tolist() == found
    assert found[150] == 20


def test_vectors_that_only_share_a_hash_stay_apart(monkeypatch):
    scores = graded(7, 9, 120)
    scores[:, 60] = scores[:, 0]
    monkeypatch.setattr(duplicates, "_hashes", lambda codes: np.zeros(codes.shape[1], dtype=np.uint64))
    found = first_alike(scores)
    assert found[60] == 0 and np.count_nonzero(found >= 0) == 1


@pytest.mark.parametrize(
    "scores",
    [
        np.zeros((0, 3)),
        np.zeros((3, 0)),
        np.full((4, 3), np.nan),
        np.ones((3, 3)),
        np.eye(2),
        np.zeros((1, 5)),
    ],
)
def test_nothing_to_compare(scores):
    assert first_alike(scores).tolist() == [-1] * scores.shape[1]


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
