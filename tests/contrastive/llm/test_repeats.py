import pytest

from contrastive.fakes import as_json, ends, item_rows
from tellapart.contrastive.llm_figures import flip_results
from tellapart.core.stats import clustered_rate


def asked(item, pick, *, order=0, repeat=0, **others):
    """An asking of an item whose target is ``t``; the pick of None is an answer that is missing."""
    picked = {"missing": "timeout"} if pick is None else {"rank": 1 if pick == "t" else 2}
    best = {"best_distractor": 23 if pick in ("t", None) else ord(pick) - 97}
    return (
        {"item": item, "target": 0, "order": order, "replicate": 9 * order + repeat} | best | picked | others
    )


def flips(*rows):
    return tuple(as_json(flip_results(item_rows(*rows))))


def test_the_same_order_by_hand():
    same, other = flips(
        asked("a", "t", path="f"),
        asked("a", "t", repeat=1, path="f"),
        asked("b", "t", path="f"),
        asked("b", "x", repeat=1, path="f"),
        # Wrong both times, but with another pick.
        asked("c", "x", path="g"),
        asked("c", "y", repeat=1, path="g"),
        # Not asked twice, or not answered.
        asked("d", "t"),
        asked("e", "t"),
        asked("e", None, repeat=1),
    )
    assert other is None
    assert (same["items"], same["flip_rate"]) == (3, pytest.approx(2 / 3))
    assert same["ci"] == ends(clustered_rate([0, 1, 1], ["f", "f", "g"]).interval)


def test_orders_by_hand():
    # Picks t, t and t, x: two of the four pairs across the orders differ, and the one within the second one.
    same, other = flips(
        asked("a", "t"),
        asked("a", "t", repeat=1),
        asked("a", "t", order=1),
        asked("a", "x", order=1, repeat=1),
    )
    assert (same["items"], same["flip_rate"]) == (1, 1.0)
    assert (other["items"], other["flip_rate"]) == (1, 1.0)
    assert same["ci"] is other["ci"] is None
