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
