import pytest

from tellapart.llm.budget import Limits
from tellapart.llm.usage import ModelUse, spent


def use(*calls):
    use = ModelUse()
    for call in calls:
        use.add({"model": "m", **call})
    return use


def test_what_calls_took_is_counted_whether_they_were_paid_for_or_not():
    usage = {"input_tokens": 100, "output_tokens": 10}
    found = use(
        {"reply": "a", "served": "m-2", "usage": usage, "attempts": 3},
        {"reply": "b", "served": "m-1", "usage": usage, "attempts": 1, "reused": True},
        {"reply": "", "served": "m-1"},
        {"failure": {}, "attempts": 6},
        {"failure": {}, "attempts": 0},
    )
    found.requested.append({"model": "m"})
    told = {"requested": {"model": "m"}, "effective": {"observable": False}, "served": ["m-1", "m-2"]}
    counts = {"calls": 3, "failed_calls": 1, "reused_calls": 1, "requests": 11}
    spent = {"input_tokens": 200, "output_tokens": 20, "cost": (200 + 2000) / 1e6}
    assert found.record((1.0, 100.0)) == told | counts | spent
    assert found.paid == (100, 10, 0, 0)
    assert found.record(None)["cost"] is None


def test_tokens_from_and_into_caches_are_counted_where_they_are_reported():
    usage = {"input_tokens": 100, "output_tokens": 10}
    found = use(
        {"reply": "a", "usage": usage, "cached": {"read_tokens": 60, "written_tokens": 30}},
        {"reply": "b", "usage": usage, "cached": {"read_tokens": 0, "written_tokens": 5}, "reused": True},
        {"reply": "c", "usage": usage},
    )
    record = found.record((1.0, 100.0, 0.1, 2.0))
    assert (record["input_tokens"], record["cached_tokens"], record["cache_written_tokens"]) == (300, 60, 35)
    # 205 tokens cost 1, 60 cost 0.1, and 35 cost 2.
    assert record["cost"] == pytest.approx((205 + 6 + 70 + 3000) / 1e6)
    assert found.paid == (200, 20, 60, 30)
    # With two prices, what came from a cache costs as much as others, and what went into one 1.25 times.
    assert found.record((1.0, 100.0))["cost"] == pytest.approx((265 + 35 * 1.25 + 3000) / 1e6)
    limits = Limits(price=(1.0, 100.0, 0.1))
    assert spent({"m": found}, limits) == pytest.approx((110 + 6 + 30 * 1.25 + 2000) / 1e6)
