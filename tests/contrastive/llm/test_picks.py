from itertools import product
from statistics import fmean, pvariance

import numpy as np
import pytest

from contrastive.fakes import as_json, item_rows
from tellapart.contrastive.slots import pick_test


def rng(seed=1):
    return np.random.default_rng(seed)


def asked(item, slot, picked, *, options=5, order=0, replicate=None):
    return {
        "method": "llm",
        "item": f"easy/{item}",
        "order": order,
        "replicate": order if replicate is None else replicate,
        "options": options,
        "slot": slot,
        "picked_slot": picked,
        "rank": 1 if slot == picked else 2,
    }


def result(*rows, draws=2000, seed=1):
    return as_json(pick_test(item_rows(*rows), rng=rng(seed), draws=draws))


def preferences(slot, options):
    place = (slot - 1) / (options - 1)
    return [slot == 1, slot == options, place, (2 * place - 1) ** 2]


def every_pick(wrong):
    """The exact p and z of wrong picks (slot, picked, options), by writing all of them down."""
    free = [[s for s in range(1, options + 1) if s != slot] for slot, _, options in wrong]
    sums = [
        [
            sum(column)
            for column in zip(*(preferences(s, w[2]) for s, w in zip(picks, wrong, strict=True)), strict=True)
        ]
        for picks in product(*free)
    ]
    own = [sum(column) for column in zip(*(preferences(w[1], w[2]) for w in wrong), strict=True)]
    centre = [fmean(column) for column in zip(*sums, strict=True)]
    spread = [pvariance(column) ** 0.5 for column in zip(*sums, strict=True)]

    def z(row):
        return [(s - m) / sd for s, m, sd in zip(row, centre, spread, strict=True)]

    largest = [max(map(abs, z(row))) for row in sums]
    return fmean(one >= max(map(abs, z(own))) - 1e-9 for one in largest), z(own)


@pytest.mark.parametrize(
    "wrong",
    [
        [(2, 1, 5), (3, 1, 5), (1, 2, 5), (5, 1, 5), (2, 1, 5)],
        [(1, 3, 4), (4, 3, 4), (2, 6, 6), (2, 5, 6)],
        [(2, 4, 5), (3, 2, 5), (3, 5, 5), (1, 5, 5)],
    ],
)
def test_every_pick_written_down_gives_the_same(wrong):
    rows = [asked(i, slot, picked, options=options) for i, (slot, picked, options) in enumerate(wrong)]
    right = [asked("right", 3, 3), asked("also", 1, 1)]
    p, z = every_pick(wrong)
    found = result(*rows, *right, draws=20_000)
    assert found["n"] == len(wrong)
    assert found["p"] == pytest.approx(p, abs=0.02)
    assert list(found["z"].values()) == pytest.approx(z)
    assert list(found["z"]) == ["first", "last", "trend", "ends"]


def test_of_repeats_of_an_order_the_first_counts():
    once = [asked(i, 3, i % 2 + 1) for i in range(8)]
    again = [asked(i, 3, 5, replicate=1) for i in range(8)]
    assert result(*again, *once) == result(*once)
    other = [asked(i, 3, 5, order=1) for i in range(8)]
    assert result(*once, *other)["n"] == 16


def test_always_the_first_is_found_with_a_few_items():
    first = result(*(asked(i, i % 20 + 1, 1, options=20) for i in range(20)))
    assert (first["n"], first["p"]) == (19, 1 / 2001)
    assert first["z"]["first"] > 10
    last = result(*(asked(i, i % 20 + 1, 20, options=20) for i in range(20)))
    assert last["z"]["last"] > 10 > 0 > last["z"]["first"]


def simulated(weights, seed, items=40):
    """Wrong picks by weight of their slot, of those that the target leaves."""
    draw, rows = rng(seed), []
    for i in range(items):
        slot = i % len(weights) + 1
        chance = np.where(np.arange(1, len(weights) + 1) == slot, 0.0, weights)
        picked = int(draw.choice(len(weights), p=chance / chance.sum())) + 1
        rows.append(asked(i, slot, picked, options=len(weights)))
    return rows


@pytest.mark.slow
def test_even_picks_are_found_as_often_as_chance_finds_them():
    found = sum(
        result(*simulated(np.ones(10), seed), seed=seed, draws=199)["p"] <= 0.05 for seed in range(300)
    )
    # 5 % of 300 are 15 with a standard deviation of 3.8.
    assert 4 <= found <= 27


def test_early_picks_are_found():
    weights = np.linspace(2, 0.2, 10)
    assert all(result(*simulated(weights, seed, 100), draws=199)["p"] <= 0.05 for seed in range(10))


@pytest.mark.parametrize(
    "rows", [[], [asked("a", 1, 1)], [asked("a", 1, 2, options=2), asked("b", 2, 1, options=2)]]
)
def test_picks_that_could_not_have_been_elsewhere_tell_nothing(rows):
    found = result(*rows)
    assert found["p"] is None
    assert set(found["z"].values()) == {None}
