import numpy as np
import pytest

from reference.items import two_parameter_by_search
from tellapart.core.stats import irt, two_parameter_fit

WIDE = (1e4, 1e4)


def drawn(seed, models, items, missing=0.0):
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=models)
    ability = (ability - ability.mean()) / ability.std()
    slopes, difficulties = rng.uniform(0.5, 2.0, items), rng.uniform(-1.5, 1.5, items)
    scores = (
        rng.random((models, items)) < 1 / (1 + np.exp(-slopes * (ability[:, None] - difficulties)))
    ) * 1.0
    scores[rng.random(scores.shape) < missing] = np.nan
    return scores, slopes, difficulties, ability


def test_agrees_with_a_search_for_the_greatest_likelihood():
    scores, *_ = drawn(0, 150, 5, missing=0.1)
    found = two_parameter_fit(scores, prior_sds=WIDE)
    slopes, difficulties = two_parameter_by_search(scores)
    assert found.converged
    assert found.discrimination.tolist() == pytest.approx(slopes.tolist(), abs=2e-3)
    assert found.difficulty.tolist() == pytest.approx(difficulties.tolist(), abs=2e-3)


def test_agrees_with_girth():
    # girth 0.8.0, twopl_mml of the scores with 121 nodes from -6 to 6 and 500 rounds at most, which
    # stops a little earlier.
    rng = np.random.default_rng(7)
    ability = rng.normal(size=300)
    slopes = np.round(np.linspace(0.6, 2.0, 12)[rng.permutation(12)], 3)
    difficulties = np.round(np.linspace(-1.5, 1.5, 12), 3)
    scores = rng.random((300, 12)) < 1 / (1 + np.exp(-slopes * (ability[:, None] - difficulties)))
    found = two_parameter_fit(scores, prior_sds=WIDE)
    assert found.discrimination.tolist() == pytest.approx(
        [0.2732, 1.6033, 1.6866, 1.7763, 1.1414, 1.4336, 0.9430, 1.4413, 0.5123, 0.7031, 2.1376, 2.1754],
        abs=0.004,
    )
    assert found.difficulty.tolist() == pytest.approx(
        [-3.4564, -1.0329, -0.6919, -0.6363, -0.2370, 0.0515, 0.2700, 0.4973, 0.7825, 1.3588, 1.5666, 1.5335],
        abs=0.006,
    )


def test_recovers_what_the_scores_were_drawn_from():
    scores, slopes, difficulties, ability = drawn(0, 600, 60, missing=0.05)
    found = two_parameter_fit(scores)
    # Standard errors are about .13 for a slope and .1 for a difficulty, of their means an eighth.
    assert np.mean(found.discrimination - slopes) == pytest.approx(0, abs=0.04)
    assert np.mean(found.difficulty - difficulties) == pytest.approx(0, abs=0.04)
    assert np.std(found.discrimination - slopes) < 0.16 and np.std(found.difficulty - difficulties) < 0.16
    assert np.corrcoef(ability, found.ability)[0, 1] > 0.95


def test_fifty_models_rank_items_by_difficulty():
    scores, slopes, difficulties, _ = drawn(1, 50, 300)
    found = two_parameter_fit(scores)
    usable = slopes > 1
    # An error of some .4 beside a spread of .87 leaves a correlation of .9.
    assert np.corrcoef(difficulties[usable], found.difficulty[usable])[0, 1] > 0.85
    assert np.mean(found.discrimination - slopes) == pytest.approx(0, abs=0.08)


def test_the_expected_abilities_have_mean_0_and_deviation_1():
    # Of 400 items the posterior is narrow, so that its means nearly have what the whole has.
    scores, *_ = drawn(3, 60, 400)
    found = two_parameter_fit(scores)
    assert found.ability.mean() == pytest.approx(0, abs=1e-6)
    assert found.ability.std() == pytest.approx(1, abs=0.02)


def test_passes_for_fails_turn_difficulties_round():
    scores, *_ = drawn(4, 80, 12, missing=0.1)
    found, turned = two_parameter_fit(scores), two_parameter_fit(1 - scores)
    assert turned.discrimination.tolist() == pytest.approx(found.discrimination.tolist(), abs=1e-4)
    assert turned.difficulty.tolist() == pytest.approx((-found.difficulty).tolist(), abs=1e-4)


def test_an_item_that_better_models_fail_has_a_negative_slope():
    scores, slopes, difficulties, _ = drawn(5, 300, 30)
    scores[:, 7] = 1 - scores[:, 7]
    found = two_parameter_fit(scores)
    assert found.discrimination[7] == pytest.approx(-slopes[7], abs=0.3)
    assert found.difficulty[7] == pytest.approx(difficulties[7], abs=0.3)
    assert (np.delete(found.discrimination, 7) > 0).all()


def test_items_that_all_pass_or_fail_stay_finite_and_outside_the_others():
    scores, *_ = drawn(6, 60, 40)
    scores[:, 0], scores[:, 1] = 1.0, 0.0
    found = two_parameter_fit(scores)
    assert np.isfinite(found.difficulty).all()
    assert found.difficulty[0] < -2.5 and found.difficulty[1] > 2.5
    # The prior holds intercepts to about twice its standard deviation of 3 at most.
    assert np.abs(found.difficulty * found.discrimination).max() < 6


def test_a_flat_item_has_no_difficulty():
    # Passes dealt out to every second model in the order of ability say nothing.
    scores, *_, ability = drawn(7, 400, 60)
    scores[np.argsort(ability), 3] = np.tile([0, 1, 1, 0], 100)
    found = two_parameter_fit(scores)
    assert abs(found.discrimination[3]) < 0.05 and np.isnan(found.difficulty[3])


def test_missing_answers_are_as_if_never_asked():
    scores, *_ = drawn(8, 70, 15)
    found = two_parameter_fit(scores)
    wider = np.full((72, 17), np.nan)
    wider[:70, :15] = scores
    more = two_parameter_fit(wider[:70])
    assert more.discrimination[:15].tolist() == found.discrimination.tolist()
    assert np.isnan(more.discrimination[15:]).all() and np.isnan(more.difficulty[15:]).all()
    assert np.isnan(two_parameter_fit(wider).ability[70:]).all()


def test_the_order_of_models_and_items_does_not_matter():
    scores, *_ = drawn(9, 60, 25, missing=0.1)
    found = two_parameter_fit(scores)
    rng = np.random.default_rng(0)
    models, items = rng.permutation(60), rng.permutation(25)
    mixed = two_parameter_fit(scores[models][:, items])
    assert mixed.discrimination.tolist() == pytest.approx(found.discrimination[items].tolist(), abs=2e-6)
    assert mixed.ability.tolist() == pytest.approx(found.ability[models].tolist(), abs=2e-6)


def test_more_items_than_abilities_need_are_fitted_one_by_one(monkeypatch):
    scores, *_ = drawn(10, 60, 400)
    whole = two_parameter_fit(scores)
    monkeypatch.setattr(irt, "MOST_ITEMS", 100)
    monkeypatch.setattr(irt, "_CELLS_A_BLOCK", 121 * 37)
    part = two_parameter_fit(scores)
    assert part.discrimination.tolist() != whole.discrimination.tolist()
    # What another 300 items would have told of abilities moves slopes by far less than their error of .3.
    assert np.std(part.discrimination - whole.discrimination) < 0.1
    # The hardest hundred alone would leave .968.
    assert np.corrcoef(part.ability, whole.ability)[0, 1] > 0.98


def test_too_few_rounds_are_owned_up_to(monkeypatch):
    scores, *_ = drawn(11, 60, 20)
    monkeypatch.setattr(irt, "_MOST_ROUNDS", 2)
    found = two_parameter_fit(scores)
    assert (found.converged, found.rounds) == (False, 2)


def test_nothing_asked():
    found = two_parameter_fit(np.full((3, 2), np.nan))
    assert np.isnan(found.discrimination).all() and np.isnan(found.ability).all()
    assert two_parameter_fit(np.zeros((0, 0))).discrimination.tolist() == []


def test_one_answer_is_no_trouble():
    found = two_parameter_fit([[1.0]])
    assert np.isfinite(found.discrimination).all()


@pytest.mark.parametrize("scores", [[1.0, 0.0], [[0.5, 1.0]]])
def test_what_it_does_not_take(scores):
    with pytest.raises(ValueError, match="expected"):
        two_parameter_fit(scores)
