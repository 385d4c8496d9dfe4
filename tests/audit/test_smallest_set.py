import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

from tellapart.audit.options import AuditOptions
from tellapart.audit.smallest_set import _by_worth, smallest_set
from tellapart.core.comparison.compare import primary_family
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable


def chosen_on(scores):
    models, items = np.indices(scores.shape).reshape(2, -1)
    frame = pl.DataFrame(
        {
            "model": [f"m{m:02}" for m in models],
            "item": [f"i{i:05}" for i in items],
            "score": pl.Series(scores.ravel(), dtype=pl.Float64).fill_nan(None),
        }
    ).with_columns(missing=pl.when(pl.col("score").is_null()).then(pl.lit("timeout")))
    grid = score_grid(ScoreTable.from_frame(frame))
    return grid, smallest_set(grid, primary_family(grid, AuditOptions()).pairs)


def ladder(models, items=30):
    """Model k passes the items of difficulty up to k."""
    return (np.arange(models)[:, None] >= np.repeat(np.arange(models), items)).astype(float)


def planted(seed, models=20, informative=200, noise=800):
    """Items that models of growing ability pass more often, among items that all pass by chance alike."""
    rng = np.random.default_rng(seed)
    ability = np.linspace(-2.5, 2.5, models)[:, None]
    chance = 1 / (1 + np.exp(-2 * (ability - rng.normal(size=informative) * 1.5)))
    chance = np.hstack([chance, np.broadcast_to(rng.random(noise), (models, noise))])
    return (rng.random(chance.shape) < chance).astype(float)[rng.permutation(models)]


def test_the_set_beats_random_sets_of_its_size_on_held_out_models():
    chosen, by_chance = [], []
    for seed in range(6):
        scores = planted(seed)
        grid, smallest = chosen_on(scores)
        held_out = [grid.models.index(name) for name in smallest.confirmed_on]
        columns = np.searchsorted(grid.items.astype(str), smallest.items)
        full = scores[held_out].mean(axis=1)

        def tau(places, full=full, rows=scores[held_out]):
            return kendalltau(full, rows[:, places].mean(axis=1)).statistic

        assert smallest.tau_heldout == pytest.approx(tau(columns))
        rng = np.random.default_rng(seed)
        chosen.append(smallest.tau_heldout)
        by_chance.append(np.mean([tau(rng.permutation(1000)[: len(columns)]) for _ in range(20)]))
        assert (smallest.reason == "") == (smallest.tau_heldout >= 0.9)
    assert np.mean(chosen) > np.mean(by_chance) + 0.1


def test_a_clear_ranking_takes_few_items():
    grid, smallest = chosen_on(ladder(10))
    assert 9 <= len(smallest.items) <= 40
    assert (smallest.tau_chosen, smallest.tau_heldout, smallest.reason) == (1, 1, "")
    # By turns in the ranking, both ends among those that choose.
    assert smallest.confirmed_on == ("m02", "m04", "m06", "m08")
    assert smallest.chosen_on == ("m00", "m01", "m03", "m05", "m07", "m09")


def test_a_set_that_fails_on_held_out_models_is_unconfirmed():
    # Model k passes (k + 1) / 12 of the first 120 items and half of the other 240 if items are chosen on it.
    # If it is held out, it passes (12 - k) / 12 of the former and (2 k + 1) / 24 of the latter, which makes
    # the same mean: ((k + 1) / 12 + 1) / 3.
    k = np.arange(12)[:, None]
    held_out = [2, 4, 6, 8, 10]
    share, others = (k + 1) / 12, np.full((12, 1), 0.5)
    share[held_out], others[held_out] = (12 - k[held_out]) / 12, (2 * k[held_out] + 1) / 24
    levels = (np.arange(240) + 0.5) / 240
    _, smallest = chosen_on(np.hstack([share > levels[::2], others > levels]).astype(float))
    assert smallest.confirmed_on == ("m02", "m04", "m06", "m08", "m10")
    assert smallest.tau_chosen >= 0.9 and max(smallest.items) < "i00120"
    assert smallest.tau_heldout < -0.5
    assert smallest.reason == (f"not confirmed: over the models held out, tau is {smallest.tau_heldout:.2f}")


def missing_everywhere():
    scores = ladder(10)
    scores[np.arange(300) % 10, np.arange(300)] = np.nan
    return scores


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        (ladder(8), "takes 9 models with scores; there are 8"),
        (np.vstack([ladder(8), np.full((1, 240), np.nan)]), "there are 8"),
        ((np.random.default_rng(0).random((12, 50)) < 0.5).astype(float), "not separated"),
        (missing_everywhere(), "no item has a score of every model"),
    ],
)
def test_why_there_is_no_set(scores, reason):
    smallest = chosen_on(scores)[1]
    assert smallest.items == () and reason in smallest.reason


def test_items_that_a_model_has_no_score_on_are_not_chosen():
    scores = planted(3)
    missing = np.random.default_rng(1).random(1000) < 0.4
    scores[4, missing] = np.nan
    grid, smallest = chosen_on(scores)
    assert len(smallest.items) > 5
    assert not set(smallest.items) & set(grid.items[missing])


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
    # Five items can discriminate: by difficulty 0 (1 of 6), 1 (2 of 6), and 2, 3 and 4 (3 of 6 each), each in
    # a band of its own, from the hardest on.
    assert _by_worth(scores).tolist() == [0, 1, 2, 3, 4, 5, 6]
