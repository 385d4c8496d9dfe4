import asyncio

import pytest

from tellapart.errors import UsageError
from tellapart.llm.budget import Limits, cost
from tellapart.llm.callers import Budget, Exhausted


class Purse:
    """Calls that really cost what they cost, ``dollars`` in all."""

    def __init__(self, limits, max_tokens=100):
        self.dollars = 0.0
        self.most_at_once = self.at_once = 0
        self.budget = Budget(limits, "m", max_tokens, lambda: self.dollars)

    async def call(self, prompt_bytes, costs):
        async with self.budget.room_for(prompt_bytes):
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            await asyncio.sleep(0.001)
            self.dollars += costs
            self.at_once -= 1


def calls(purse, count, prompt_bytes=0, costs=0.0):
    """How many of ``count`` calls that begin together were made."""

    async def all_of_them():
        made = await asyncio.gather(
            *(purse.call(prompt_bytes, costs) for _ in range(count)), return_exceptions=True
        )
        assert all(outcome is None or isinstance(outcome, Exhausted) for outcome in made)
        return made.count(None)

    return asyncio.run(all_of_them())


def test_a_price_may_have_tokens_from_and_into_caches():
    million = 1_000_000
    assert cost((3.0, 15.0, 0.3), million, 0, million) == pytest.approx(0.3)
    assert cost((3.0, 15.0, 0.3), million, 0, 0, million) == pytest.approx(3.75)
    assert cost((3.0, 15.0, 0.3, 6.0), million, 0, 400_000, 500_000) == pytest.approx(0.12 + 3.0 + 0.3)
    # Nobody said that a cache is cheaper.
    assert cost((3.0, 15.0), million, 0, million) == pytest.approx(3.0)


@pytest.mark.parametrize(("caches", "fit"), [(False, 5), (True, 4)])
def test_where_prompts_go_into_caches_the_worst_is_that_none_comes_from_one(caches, fit):
    # 300 bytes are 100 tokens: 100 dollars, or 125 into a cache; 550 dollars have room for five, or four.
    purse = Purse(Limits(max_cost=550, price=(1e6, 0.0, 0.0)))
    purse.budget = Budget(Limits(max_cost=550, price=(1e6, 0.0, 0.0)), "m", 100, lambda: 0.0, caches=caches)
    calls(purse, 9, prompt_bytes=300)
    assert purse.most_at_once == fit


def test_a_price_is_of_all_models_or_of_each():
    assert Limits(price=(1, 2)).price_of("any") == (1, 2)
    assert Limits(price={"a": (1, 2)}).price_of("a") == (1, 2)
    assert Limits(price={"a": (1, 2)}).price_of("b") is None
    assert Limits().price_of("a") is None


def test_a_limit_needs_a_price():
    with pytest.raises(UsageError, match="needs the price of 'm'"):
        Budget(Limits(max_cost=1), "m", 10, lambda: 0.0)


def test_the_limit_is_never_passed_whatever_is_under_way():
    # A reply of 100 tokens at 10,000 dollars a million is 1 dollar at worst; 10 of them fit into 10.5.
    purse = Purse(Limits(max_cost=10.5, price=(0, 10_000)))
    assert calls(purse, 50, costs=1.0) == 10
    assert (purse.dollars, purse.most_at_once) == (10, 10)


def test_what_is_not_used_up_is_free_for_others():
    # At worst 1 dollar each, so 2 at once; they cost a quarter: as long as 1 dollar is left there is room.
    purse = Purse(Limits(max_cost=2.0, price=(0, 10_000)))
    assert calls(purse, 50, costs=0.25) == 5
    assert (purse.dollars, purse.most_at_once) == (1.25, 2)


def test_prompts_are_estimated_by_three_bytes_a_token():
    # 300 bytes are 100 tokens, 1 dollar.
    purse = Purse(Limits(max_cost=3.0, price=(10_000, 0)))
    assert calls(purse, 10, prompt_bytes=300, costs=1.0) == 3
