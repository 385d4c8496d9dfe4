import numpy as np
import polars as pl
import pytest

from contrastive.fakes import as_json, item_rows
from reference import permutation as slow
from tellapart.contrastive.llm_matching import target_slot
from tellapart.contrastive.slots import slot_result, slot_test


def rng(seed=1):
    return np.random.default_rng(seed)


def asked(level, item, slot, right, *, order=0, repeat=0, options=5, picked=None):
    """An asking with the target in a slot; wrong picks are of the next slot."""
    picked = picked or (slot if right else slot % options + 1)
    return {
        "method": "llm",
        "level": level,
        "item": f"{level}/{item}",
        "order": order,
        "replicate": 10 * order + repeat,
        "options": options,
        "slot": slot,
        "picked_slot": picked,
        "rank": 1 if right else 2,
    }


def test_accuracy_by_slot_by_hand():
    rows = item_rows(
        asked("hard", 1, 1, True),
        asked("hard", 2, 1, False),
        asked("hard", 3, 3, True),
        asked("hard", 4, 5, False, picked=3),
        {**asked("hard", 5, 4, True), "missing": "parse", "picked_slot": None},
        asked("easy", 1, 2, True, options=2),
    )
    found = as_json(slot_result(rows, seed=7, model="m"))["by_slot"]
    assert list(found) == ["easy", "hard"]
    assert found["easy"] == [
        {"slot": 1, "n": 0, "accuracy": None, "picked": 0},
        {"slot": 2, "n": 1, "accuracy": 1.0, "picked": 1},
    ]
    assert found["hard"] == [
        {"slot": 1, "n": 2, "accuracy": 0.5, "picked": 1},
        {"slot": 2, "n": 0, "accuracy": None, "picked": 1},
        {"slot": 3, "n": 1, "accuracy": 1.0, "picked": 2},
        {"slot": 4, "n": 0, "accuracy": None, "picked": 0},
        {"slot": 5, "n": 1, "accuracy": 0.0, "picked": 0},
    ]


def contrasts(slots, options):
    places = [(slot - 1) / (options - 1) for slot in slots]
    return [
        [slot == 1, slot == options, place, (2 * place - 1) ** 2]
        for slot, place in zip(slots, places, strict=True)
    ]


def test_slots_of_a_level_are_exchanged_when_each_item_is_asked_once():
    slots, right = [1, 4, 2, 5, 3, 1], [1, 1, 1, 0, 0, 1]
    rows = item_rows(*(asked("easy", i, *pair) for i, pair in enumerate(zip(slots, right, strict=True))))
    p, z = slow.block_permutation(right, contrasts(slots, 5), [0] * 6)
    found = as_json(slot_test(rows, rng=rng(), draws=20_000))
    assert found["p"] == pytest.approx(p, abs=0.02)
    assert list(found["z"].values()) == pytest.approx(z)
    assert list(found["z"]) == ["first", "last", "trend", "ends"]


def test_slots_of_an_item_are_exchanged_when_it_is_asked_in_several_orders():
    slots, right = [[1, 4, 2], [2, 5, 3], [3, 1, 4]], [[1, 0, 1], [1, 0, 0], [0, 1, 0]]
    rows = [
        asked("easy", item, slots[item][order], right[item][order], order=order)
        for item in range(3)
        for order in range(3)
    ]
    # The only scored order of another item has no partner, and one alone tells nothing.
    lonely = asked("easy", 9, 5, 0)
    flat = [[value for row in table for value in row] for table in (slots, right)]
    p, z = slow.block_permutation(flat[1], contrasts(flat[0], 5), [0, 0, 0, 1, 1, 1, 2, 2, 2])
    found = as_json(slot_test(item_rows(*rows, lonely), rng=rng(), draws=20_000))
    assert found["p"] == pytest.approx(p, abs=0.02)
    assert list(found["z"].values()) == pytest.approx(z)


def test_repeats_of_an_order_count_once():
    rows = [asked("easy", i, i + 1, i in (0, 3)) for i in range(5)]
    again = [asked("easy", i, i + 1, i in (0, 3), repeat=1) for i in range(5)]
    once, twice = (as_json(slot_test(item_rows(*some), rng=rng())) for some in (rows, rows + again))
    assert twice == once
    half = as_json(slot_test(item_rows(*rows, asked("easy", 0, 1, False, repeat=1)), rng=rng()))
    assert half["thirds"] == pytest.approx([0.25, 0.5, 0.0])


def test_thirds_are_freed_of_the_levels_own_accuracy():
    # Five slots are thirds of 2, 2 and 1, three are one each. All easy ones are right and one of three hard
    # ones, .75 over all: the hard ones' thirds are 1/3 below, 2/3 above and 1/3 below their own mean.
    easy = [asked("easy", slot, slot, True) for slot in range(1, 6)]
    hard = [asked("hard", slot, slot, slot == 2, options=3) for slot in range(1, 4)]
    found = as_json(slot_test(item_rows(*easy, *hard), rng=rng()))
    thirds = [0.75 - 1 / 9, 0.75 + 2 / 9, 0.75 - 1 / 6]
    assert found["thirds"] == pytest.approx(thirds)
    assert found["spread"] == pytest.approx(2 / 9 + 1 / 6)
    one = as_json(slot_test(item_rows(asked("easy", 1, 1, True)), rng=rng()))
    assert (one["thirds"], one["spread"]) == ([1.0, None, None], None)


def test_nothing_that_varies_has_no_p():
    always = item_rows(*(asked("easy", i, i + 1, True) for i in range(5)))
    found = as_json(slot_test(always, rng=rng()))
    assert (found["p"], found["draws"], found["spread"]) == (None, 0, 0.0)
    assert found["reason"] == "nothing varies within a block"
    assert found["z"] == {"first": None, "last": None, "trend": None, "ends": None}
    nothing = as_json(slot_result(item_rows(), seed=1, model="m"))
    assert (nothing["by_slot"], nothing["test"]["p"], nothing["test"]["spread"]) == ({}, None, None)
    assert nothing["picks"]["p"] is None


LEVELS = {"easy": 5, "hard": 10, "adversarial": 20}


def simulated(chance, items, orders=1, *, seed=0):
    """A model that is right with a chance that depends on the item and its target's place, from 0 to 1."""
    draw, rows = rng(seed), []
    for level, options in LEVELS.items():
        # Items of one file, neighbours, are hard or easy together.
        ease = np.repeat(draw.normal(0, 0.2, items // 4 + 1), 4)[:items] + draw.normal(0, 0.2, items)
        for item in range(items):
            for order in range(orders):
                slot = target_slot(item, order, items, options)
                right = float(draw.random() < chance(slot / (options - 1), ease[item]))
                rows.append((f"{level}/{item}", level, order, slot + 1, options, right))
    names = ["item", "level", "order", "slot", "options", "correct"]
    return pl.DataFrame(rows, schema=names, orient="row")


def found_in(runs, chance, items, orders=1):
    """Runs of 400 in which the test finds something at 5 %."""
    return sum(
        as_json(slot_test(simulated(chance, items, orders, seed=seed), rng=rng(seed), draws=199))["p"] <= 0.05
        for seed in range(runs)
    )


def test_a_model_without_preference_is_found_as_often_as_chance_finds_it():
    # 5 % of 400 runs are 20 with a standard deviation of 4.4.
    assert 7 <= found_in(400, lambda place, ease: 0.6 + ease, 12) <= 33


def test_a_model_without_preference_in_several_orders():
    assert 1 <= found_in(100, lambda place, ease: 0.6 + ease, 12, orders=3) <= 12


@pytest.mark.parametrize("orders", [1, 3])
def test_a_model_that_always_takes_the_first_is_found(orders):
    assert found_in(20, lambda place, ease: float(place == 0), 12, orders) == 20


@pytest.mark.slow
@pytest.mark.parametrize(
    "chance",
    [
        lambda place, ease: 0.7 - 0.2 * (place > 0.5) + ease,
        lambda place, ease: 0.5 + 0.2 * (place > 0.5) + ease,
        lambda place, ease: 0.7 - 0.25 * (0.2 < place < 0.8) + ease,
    ],
)
def test_twenty_points_between_parts_of_the_list_are_found_with_enough_items(chance):
    assert found_in(20, chance, 200, orders=3) == 20


def test_the_seed_and_the_models_name_are_all_that_draws_depend_on():
    rows = item_rows(
        *(asked("easy", i, i % 5 + 1, (i * i) % 3 == 1) for i in range(30)),
        *(asked("hard", i, i % 10 + 1, (i * 7) % 4 == 1, options=10) for i in range(30)),
    )
    found = as_json(slot_result(rows, seed=3, model="m"))
    assert as_json(slot_result(rows.sample(fraction=1.0, shuffle=True, seed=2), seed=3, model="m")) == found
    assert found["picks"]["n"] == rows.filter(pl.col("correct") == 0).height
    others = [as_json(slot_result(rows, seed=4, model="m")), as_json(slot_result(rows, seed=3, model="n"))]
    assert all(other["test"]["z"] == found["test"]["z"] for other in others)
    assert {other["test"]["p"] for other in others} != {found["test"]["p"]}
