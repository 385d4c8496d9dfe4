import numpy as np
import pytest

from contrastive.fakes import as_json, item_rows
from reference import permutation as slow
from tellapart.contrastive.llm_figures import slot_result, slot_test


def rng(seed=1):
    return np.random.default_rng(seed)


def asked(level, item, slot, right, *, order=0, repeat=0, options=5, picked=None):
    """An asking with the target in a slot; wrong picks are of the next slot."""
    picked = picked or (slot if right else slot % options + 1)
    asked = {"method": "llm", "level": level, "item": f"{level}/{item}", "order": order}
    asked |= {"replicate": 10 * order + repeat, "options": options}
    return asked | {"slot": slot, "picked_slot": picked, "rank": 1 if right else 2}


def test_slots_of_lists_of_any_length_are_pooled_by_fifths():
    # First fifth: slot 1 of 5, 1-2 of 10, 1-4 of 20; last: 5 of 5, 9-10 of 10, 17-20 of 20.
    answers = [(5, 1, 1), (10, 2, 2), (20, 4, 5), (20, 5, 5), (10, 9, 1), (20, 17, 17), (5, 5, 5)]
    rows = [
        asked("hard", i, slot, slot == picked, options=options, picked=picked)
        for i, (options, slot, picked) in enumerate(answers)
    ]
    failed = {**asked("hard", 9, 4, True), "missing": "parse", "picked_slot": None}
    fifths = slot_result(item_rows(*rows, failed), seed=7, model="m").fifths
    assert [part.n for part in fifths] == [3, 1, 0, 0, 3]
    assert [part.right for part in fifths] == [pytest.approx(2 / 3), 1.0, None, None, pytest.approx(2 / 3)]
    assert [part.picked for part in fifths] == pytest.approx([3 / 7, 2 / 7, 0, 0, 2 / 7])


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
