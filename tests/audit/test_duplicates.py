import numpy as np
import pytest

from tellapart.audit import duplicates
from tellapart.audit.duplicates import first_alike


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
