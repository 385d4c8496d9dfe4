from collections import Counter

import pytest

from contrastive.fakes import make_benchmark, make_units
from tellapart.contrastive.llm_matching import CUT, LONGEST, OrderPlan, cut, shown_items, target_slot

LINE = "x" * 99 + "\n"


def test_what_is_too_long_ends_with_a_whole_line_and_a_mark():
    assert cut(LINE * 16) == LINE * 14 + CUT
    # 1,492 characters of lines, one line end and the mark are just 1,500.
    lines = LINE * 14 + "y" * 92
    assert cut(f"{lines}\nz") == f"{lines}\nz"
    assert cut(f"{lines}\n{'z' * 40}") == f"{lines}\n{CUT}"
    assert len(f"{lines}\n{CUT}") == LONGEST
    assert cut(f"{lines}y\n{'z' * 40}") == LINE * 14 + CUT


def spread(slots, found):
    """How much more often the most used slot is used than the least used one."""
    counts = Counter(found)
    assert set(counts) <= set(range(slots))
    return max(counts[slot] for slot in range(slots)) - min(counts[slot] for slot in range(slots))


@pytest.mark.parametrize("slots", [1, 2, 5, 6, 10, 12, 20])
def test_slots_are_balanced_within_an_order_over_orders_and_within_an_item(slots):
    for items in (1, 3, slots, slots + 1, 2 * slots - 1, 5 * slots // 2, 3 * slots):
        for orders in (1, 2, 3, slots - 1, slots, slots + 1, 2 * slots + 3):
            cells = [
                [target_slot(item, order, items, slots) for item in range(items)] for order in range(orders)
            ]
            assert all(spread(slots, row) <= 1 for row in cells)
            assert spread(slots, [slot for row in cells for slot in row]) <= 1
            assert all(spread(slots, column) <= 1 for column in zip(*cells, strict=True))


NAMES = [f"f{i:02}" for i in range(30)]


def sets(level, count, targets=NAMES):
    return [(level, name, [other for other in NAMES if other != name][:count]) for name in targets]


def test_the_target_is_in_its_slot_and_every_option_is_there_once():
    benchmark = make_benchmark(make_units(*NAMES), [], sets("easy", 4))
    shown = shown_items(benchmark, OrderPlan(3))
    assert [(one.item, one.order) for one in shown] == [
        (item, order) for item in benchmark.sets["item"] for order in range(3)
    ]
    for one, row in zip(shown, [row for row in benchmark.sets.to_dicts() for _ in range(3)], strict=True):
        assert one.units[one.slot - 1] == row["target"]
        assert sorted(one.units) == sorted([row["target"], *row["distractors"]])
    assert Counter(one.slot for one in shown) == dict.fromkeys(range(1, 6), 18)
    assert all(len({one.slot for one in shown[i : i + 3]}) == 3 for i in range(0, 90, 3))
    distractors = {tuple(unit for unit in one.units if unit != one.units[one.slot - 1]) for one in shown[:3]}
    assert len(distractors) > 1
