from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

from tellapart.audit.options import AuditOptions
from tellapart.audit.smallest_set import ModelPairs, _by_worth, _doubt, _kept, smallest_set
from tellapart.core.comparison import Verdict
from tellapart.core.comparison.compare import primary_family
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable

OPTIONS = AuditOptions(resamples=100)


def table(scores, names=None):
    models, items = np.indices(scores.shape).reshape(2, -1)
    names = names or [f"m{m:02}" for m in range(len(scores))]
    frame = pl.DataFrame(
        {
            "model": [names[m] for m in models],
            "item": [f"i{i:05}" for i in items],
            "score": pl.Series(scores.ravel(), dtype=pl.Float64).fill_nan(None),
        }
    ).with_columns(missing=pl.when(pl.col("score").is_null()).then(pl.lit("timeout")))
    return ScoreTable.from_frame(frame)


def grid_of(scores, names=None):
    return score_grid(table(scores, names))


def found_on(scores, **options):
    grid = grid_of(scores)
    return grid, smallest_set(grid, primary_family(grid, OPTIONS).pairs, replace(OPTIONS, **options))


def planted(seed, models=14, informative=200, noise=1800):
    """Items that models of growing ability pass more often, among items that all pass by chance alike."""
    rng = np.random.default_rng(seed)
    ability = np.linspace(-2.5, 2.5, models)[:, None]
    chance = 1 / (1 + np.exp(-2 * (ability - rng.normal(size=informative) * 1.5)))
    chance = np.hstack([chance, np.broadcast_to(rng.random(noise), (models, noise))])
    return (rng.random(chance.shape) < chance).astype(float)[rng.permutation(models)]


def tau(x, y):
    return kendalltau(x, y).statistic


def test_the_set_beats_random_sets_of_its_size_on_held_out_models():
    chosen, by_chance, informative = [], [], []
    for seed in range(10):
        scores = planted(seed)
        grid, found = found_on(scores)
        held_out = [grid.models.index(name) for name in found.confirmed_on]
        places = np.searchsorted(grid.items.astype(str), found.items)
        full = scores[held_out].mean(axis=1)
        assert found.tau_heldout == pytest.approx(tau(full, scores[held_out][:, places].mean(axis=1)))
        rng = np.random.default_rng(seed)
        some = [scores[held_out][:, rng.permutation(2000)[: len(places)]].mean(axis=1) for _ in range(20)]
        taus = [tau(full, means) for means in some if len(set(means)) > 1]
        chosen.append(found.tau_heldout)
        by_chance.append(np.mean(taus))
        informative.append(np.mean(places < 200))
    assert np.mean(chosen) > np.mean(by_chance) + 0.2
    assert np.mean(informative) > 5 * 0.1


def test_a_clear_ranking_takes_few_items():
    # Model k of ten passes the items of difficulty up to k: one of each sort does what 30 do.
    scores = (np.arange(10)[:, None] >= np.repeat(np.arange(10), 30)).astype(float)
    grid, found = found_on(scores)
    assert 9 <= len(found.items) <= 20
    assert (found.tau_chosen, found.tau_heldout, found.reason) == (1, 1, "")
    assert set(found.chosen_on) | set(found.confirmed_on) == set(grid.models)


@pytest.mark.parametrize(
    ("models", "held_out"),
    [(9, [7, 5, 3]), (10, [8, 6, 4, 2]), (12, [10, 8, 6, 4, 2]), (13, [11, 9, 7, 5, 3, 1])],
)
def test_models_take_turns_by_rank_and_both_ends_choose(models, held_out):
    scores = (np.arange(models)[:, None] >= np.repeat(np.arange(models), 30)).astype(float)
    _, found = found_on(scores)
    assert found.confirmed_on == tuple(sorted(f"m{m:02}" for m in held_out))
    assert found.chosen_on == tuple(f"m{m:02}" for m in range(models) if m not in held_out)
    assert found.items


def test_too_few_models():
    scores = (np.arange(8)[:, None] >= np.repeat(np.arange(8), 30)).astype(float)
    _, found = found_on(scores)
    assert (found.items, found.chosen_on, found.confirmed_on, found.tau_heldout) == ((), (), (), None)
    assert "takes 9 models with scores; there are 8" in found.reason
    padded = np.vstack([scores, np.full((1, 240), np.nan)])
    assert "there are 8" in found_on(padded)[1].reason


def test_models_that_are_not_separated_have_no_order_to_keep():
    scores = (np.random.default_rng(0).random((12, 50)) < 0.5).astype(float)
    _, found = found_on(scores)
    assert not found.items
    assert "not separated" in found.reason
    assert "not separated" in found_on(np.ones((10, 20)))[1].reason


def test_no_item_that_all_have_a_score_on():
    scores = (np.arange(10)[:, None] >= np.repeat(np.arange(10), 30)).astype(float)
    scores[np.arange(300) % 10, np.arange(300)] = np.nan
    _, found = found_on(scores)
    assert found.items == ()
    assert found.reason == "no item has a score of every model"


def test_items_that_a_model_has_no_score_on_are_not_chosen():
    scores = planted(3)
    missing = np.random.default_rng(1).random(2000) < 0.4
    scores[4, missing] = np.nan
    grid, found = found_on(scores)
    assert len(found.items) > 5
    assert not set(found.items) & set(grid.items[missing])


def test_where_every_item_is_needed_there_is_no_smaller_set():
    # The order is luck, and luck is another on any part of the items.
    grid = grid_of(np.random.default_rng(1).random((12, 8)))
    pairs = [replace(pair, verdict=Verdict.B_BETTER) for pair in primary_family(grid, OPTIONS).pairs]
    found = smallest_set(grid, pairs, OPTIONS)
    assert found.items == ()
    assert "no smaller set" in found.reason
    assert (len(found.chosen_on), len(found.confirmed_on)) == (7, 5)
    assert (found.tau_chosen, found.tau_heldout) == (None, None)


def test_a_set_that_fails_on_held_out_models_is_said_to_be_unconfirmed():
    # Model k passes (k + 1) / 12 of the first 120 items and half of the other 240 if items are chosen on it.
    # If it is held out, it passes (12 - k) / 12 of the former and (2 k + 1) / 24 of the latter, which makes
    # the same mean: ((k + 1) / 12 + 1) / 3.
    k = np.arange(12)[:, None]
    held_out = [2, 4, 6, 8, 10]
    share, others = (k + 1) / 12, np.full((12, 1), 0.5)
    share[held_out], others[held_out] = (12 - k[held_out]) / 12, (2 * k[held_out] + 1) / 24
    levels = (np.arange(240) + 0.5) / 240
    grid, found = found_on(np.hstack([share > levels[::2], others > levels]).astype(float))
    assert found.confirmed_on == ("m02", "m04", "m06", "m08", "m10")
    assert found.tau_chosen >= 0.9
    assert max(found.items) < "i00120"
    assert found.tau_heldout < -0.5
    assert found.reason.startswith(
        f"not confirmed: over the models held out, tau is {found.tau_heldout:.2f} and "
    )
    assert "separated pairs lose their order" in found.reason


def test_held_out_models_have_no_part_in_the_choice():
    scores = planted(5)
    grid, found = found_on(scores)
    held_out = [grid.models.index(name) for name in found.confirmed_on]
    other = scores.copy()
    # The same means, so the same split, on other items.
    for model in held_out:
        other[model] = np.random.default_rng(model).permutation(other[model])
    pairs = primary_family(grid, OPTIONS).pairs
    assert smallest_set(grid_of(other), pairs, OPTIONS).items == found.items
    assert smallest_set(grid_of(other), pairs, OPTIONS).tau_heldout != found.tau_heldout


def test_the_same_table_in_another_order_gives_the_same_set():
    rows = table(planted(6))
    shuffled = ScoreTable.from_frame(rows.frame.sample(fraction=1, shuffle=True, seed=1), limits=rows.limits)
    found = [
        smallest_set(g, primary_family(g, OPTIONS).pairs, OPTIONS) for g in map(score_grid, (rows, shuffled))
    ]
    assert found[0] == found[1]
    assert list(found[0].items) == sorted(found[0].items)
    assert found_on(planted(6), seed=1)[1].items != found[0].items


@pytest.mark.parametrize("items", [60, 200])
def test_models_called_otherwise_get_the_same_set(items):
    rng = np.random.default_rng(4)
    scores = (rng.random((14, items)) < np.linspace(0.1, 0.9, 14)[:, None]).astype(float)
    # Models 5 to 8 have the same number of items right, not the same items.
    for model in (6, 7, 8):
        scores[model] = rng.permutation(scores[5])
    usual = found_on(scores)[1]
    assert usual.items
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(14)
        names = [f"m{k:02}" for k in order]
        grid = grid_of(scores, names)
        found = smallest_set(grid, primary_family(grid, OPTIONS).pairs, OPTIONS)
        assert (found.items, found.tau_heldout) == (usual.items, usual.tau_heldout)
        as_usual = {name: f"m{model:02}" for model, name in enumerate(names)}
        assert sorted(as_usual[name] for name in found.confirmed_on) == list(usual.confirmed_on)


def test_worth_by_hand():
    # Six models; the sum over items orders them. Item 4 is in the reverse order, items 5 and 6 are constant.
    scores = np.array(
        [
            [0, 0, 0, 0, 1, 1, 0],
            [0, 0, 0, 1, 1, 1, 0],
            [0, 0, 0, 0, 1, 1, 0],
            [0, 0, 1, 1, 0, 1, 0],
            [0, 1, 1, 0, 0, 1, 0],
            [1, 1, 1, 1, 0, 1, 0],
        ],
        dtype=float,
    )
    # Five items can discriminate: by difficulty 0 (1 of 6), 1 (2 of 6), and 2, 3 and 4 (3 of 6 each), so in
    # bands 0, 2, 4, 6 and 8 of ten, of which 4 has the first turn, then 6, 2, 8 and 0.
    assert _by_worth(scores).tolist() == [2, 3, 1, 4, 0, 5, 6]


def test_the_best_of_every_band_come_before_the_second():
    # Of every difficulty two items in the order of the models and one in reverse: ten bands of three.
    model, passed_by = np.arange(12)[:, None], np.repeat(np.arange(1, 11), 3)
    scores = np.where(np.arange(30) % 3 == 1, model < passed_by, model >= 12 - passed_by).astype(float)
    order = _by_worth(scores)
    assert (order[20:] % 3 == 1).all()
    for turn in order.reshape(3, 10):
        assert sorted(passed_by[turn]) == list(range(1, 11))
    # Those of equal worth stay as they are.
    assert (order[:10] % 3 == 0).all()


def test_pairs_kept_and_moved():
    pairs = ModelPairs(
        np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([1, 1, 0]), np.array([True, False, True])
    )
    means = np.array([[0.5, 0.2, 0.2], [0.2, 0.5, 0.5], [0.3, 0.3, 0.1], [0.5, 0.2 + 1e-12, 0.2]])
    assert pairs.agreement(means).tolist() == [2, -2, 1, 2]
    assert pairs.moved(means).tolist() == [0, 1, 2, 0]
    assert pairs.within([0, 1]).i.tolist() == [0]


def test_an_order_takes_pairs_that_have_one():
    means = np.array([[0.5, 0.2], [0.2, 0.5]])
    for sign, kept in ((1, [True, False]), (0, [False, False])):
        pairs = ModelPairs(np.array([0]), np.array([1]), np.array([sign]), np.array([False]))
        assert _kept([(pairs, means)]).tolist() == kept


def test_a_choice_is_confirmed_by_tau_or_by_separated_pairs():
    means = np.array([0.5, 0.2])
    pair, none = (
        ModelPairs(np.array([0]), np.array([1]), np.array([1]), np.array([yes])) for yes in (True, False)
    )
    assert _doubt(0.9, none, means) == ""
    assert _doubt(0.4, pair, means) == ""
    assert (
        _doubt(0.4, none, means)
        == "not confirmed: over the models held out, tau is 0.40 and no pair is separated"
    )
    assert "tau is not defined and no pair" in _doubt(None, none, means)
    assert "1 of 1 separated pairs lose their order" in _doubt(0.4, pair, means[::-1])
