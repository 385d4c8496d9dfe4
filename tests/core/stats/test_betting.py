"""Bets against no difference."""

from itertools import product
from math import exp, log

import numpy as np
import pytest

from tellapart.core.stats.betting import (
    _STAKES,
    betting_equivalence_p,
    betting_interval,
    betting_items_needed,
    betting_p,
    log_wealth,
)


def alone(values):
    return np.asarray(values, dtype=np.float64), np.ones(len(values), dtype=np.int64)


def test_bets_on_what_has_no_advantage_win_nothing_on_average():
    # 1 and -1 alike often: the mean over all sequences of six is that of a fair game.
    wealth = [exp(log_wealth(*alone(values), 0.0)) for values in product((1.0, -1.0), repeat=6)]
    assert np.mean(wealth) == pytest.approx(1.0, rel=1e-12)
    # Against a mean of .5 it takes three times as many 1 as -1.
    weighed = [
        exp(log_wealth(*alone(values), 0.5)) * 0.75 ** values.count(1.0) * 0.25 ** values.count(-1.0)
        for values in product((1.0, -1.0), repeat=6)
    ]
    assert sum(weighed) == pytest.approx(1.0, rel=1e-12)


def test_wealth_by_hand():
    # One item that A wins: each stake s has made 1 + s of 1.
    assert log_wealth(*alone([1.0]), 0.0) == pytest.approx(log(np.mean(1 + _STAKES)))
    assert betting_p(*alone([1.0] * 8)) == pytest.approx(2 / np.mean((1 + _STAKES) ** 8))
    assert betting_p(*alone([])) == 1.0
    assert log_wealth(*alone([]), 0.0) == 0.0


def test_the_order_of_items_and_the_side_change_nothing():
    values = [1.0, -1.0, 1.0, 0.5, 0.0, 1.0, 1.0]
    assert betting_p(*alone(values)) == pytest.approx(betting_p(*alone(values[::-1])), rel=1e-12)
    assert betting_p(*alone(values)) == betting_p(*alone([-value for value in values]))


def test_items_of_one_cluster_are_one_bet():
    sums, sizes = np.array([4.0, 4.0]), np.array([4, 4])
    assert betting_p(sums, sizes) == betting_p(*alone([1.0, 1.0]))


def test_the_interval_is_what_is_not_rejected():
    rng = np.random.default_rng(5)
    values = rng.choice([1.0, 0.0, -1.0], p=[0.3, 0.6, 0.1], size=200)
    low, high = betting_interval(*alone(values), 0.05)
    assert low < values.mean() < high
    assert log_wealth(*alone(values), low) == pytest.approx(log(2 / 0.05), abs=1e-5)
    assert log_wealth(*alone(-values), -high) == pytest.approx(log(2 / 0.05), abs=1e-5)
    assert (betting_p(*alone(values)) <= 0.05) == (low > 0)
    assert betting_interval(*alone([]), 0.05) == (-1.0, 1.0)


def test_models_that_agree_become_equivalent():
    assert betting_equivalence_p(*alone([0.0] * 200), 0.05) < 0.05
    assert betting_equivalence_p(*alone([0.0] * 20), 0.05) > 0.05
    assert betting_equivalence_p(*alone([1.0] * 200), 0.05) == 1.0
    assert betting_equivalence_p(*alone([0.0]), 1.0) == 0.0


def test_so_many_items_are_enough_about_as_often_as_planned():
    gap, differ = 0.1, 0.3
    items = betting_items_needed(gap, np.sqrt(differ - gap**2), power=0.8, level=0.05)
    rng = np.random.default_rng(2)
    shares = [(differ + gap) / 2, 1 - differ, (differ - gap) / 2]
    streams = rng.choice([1.0, 0.0, -1.0], p=shares, size=(400, items))
    power = np.mean([betting_p(*alone(stream)) <= 0.05 for stream in streams])
    assert 0.75 < power < 0.95
    assert betting_items_needed(0.0, 0.5, power=0.8, level=0.05) is None
