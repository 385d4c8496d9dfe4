"""What asking may take: calls at the same time, time between them, and money."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from tellapart.errors import OverBudget, UsageError

Price = tuple[float, float] | tuple[float, float, float] | tuple[float, float, float, float]
"""US dollars for a million tokens in, and out; then in from a cache, and in that go into one.

Without the third, tokens from a cache cost as much as others; without the fourth, tokens that go into one
cost ``WRITTEN`` times as much.
"""

WRITTEN = 1.25
"""What a token costs that goes into a cache, as Anthropic bills it for five minutes; others bill nothing more
for it, and report none."""

BYTES_A_TOKEN = 3.0
"""How a prompt's tokens are estimated before any reply has said how many there were; text has about four."""


@dataclass(frozen=True)
class Limits:
    """What asking may take.

    Attributes:
        max_connections: Calls under way at the same time, at least 1.
        max_cost: In US dollars, all calls of one run together, earlier processes included; None for no limit.
        price: Of all models, or of each by its name; None where nobody said. There is no list of prices: they
            change.
        on_budget: ``stop`` ends with ``OverBudget``, and the same command with a higher limit goes on;
            ``close`` finishes and counts what was not asked as ``budget``, kind ``max_cost``.
        max_failures: Failures of one kind in a row after which no further call is made, see ``Breaker``; 0
            for any number.
        delay_s: Seconds from the end of one call to the beginning of the next; above 0, calls go one at a
            time. What a journal answers is not waited for.
    """

    max_connections: int = 10
    max_cost: float | None = None
    price: Price | Mapping[str, Price] | None = None
    on_budget: Literal["stop", "close"] = "stop"
    delay_s: float = 0.0
    max_failures: int = 10

    @property
    def at_once(self) -> int:
        """Calls that really are under way at the same time, at most."""
        return 1 if self.delay_s else self.max_connections

    def price_of(self, model: str) -> Price | None:
        """Price of a model by its name, or None where nobody said."""
        if isinstance(self.price, Mapping):
            return self.price.get(model)
        return self.price


NO_LIMITS = Limits()


def dollars(amount: float) -> str:
    """An amount for people: with cents, or below one with two digits that say something: ``0.000064``."""
    return f"{amount:,.2f}" if amount >= 0.01 or not amount else f"{Decimal(f'{amount:.1e}'):f}"


def cost(
    price: Price, input_tokens: float, output_tokens: float, cached: float = 0.0, written: float = 0.0
) -> float:
    """US dollars for tokens in and out; of those in, ``cached`` come from and ``written`` go into a cache."""
    of_cached = price[2] if len(price) > 2 else price[0]
    of_written = price[3] if len(price) > 3 else price[0] * WRITTEN
    plain = input_tokens - cached - written
    return (
        plain * price[0] + output_tokens * price[1] + cached * of_cached + written * of_written
    ) / 1_000_000


def over_budget(amount: float, limits: Limits, model: str, so_far: str = "") -> OverBudget:
    """What to stop with when another call does not fit into what may be spent."""
    return OverBudget(
        f"{dollars(amount)} of {dollars(limits.max_cost or 0)} US dollars are spent, and another call might "
        f"pass the limit{so_far and f'; {so_far}'}",
        where=model,
        next_step="What is finished is kept: the same command with a higher --max-cost continues from there",
    )


class Exhausted(Exception):
    """A call does not fit into what may still be spent."""


class Budget:
    """Lets a call begin only while the worst that all calls under way may cost still fits.

    The worst is the prompt's tokens, estimated, none of which a cache has, and as many tokens of reply as
    were allowed; what a cache had is known with the reply. The limit is passed by no more than that estimate
    is wrong: at first ``BYTES_A_TOKEN``, then the most tokens a byte that a reply has reported. What a
    provider bills for a call that never answered cannot be known.

    Attributes:
        limits: What asking may take.
    """

    def __init__(
        self,
        limits: Limits,
        model: str,
        max_tokens: int,
        spent: Callable[[], float],
        *,
        caches: bool = False,
    ) -> None:
        """Watch the calls to one model; ``caches`` says whether its prompts go into caches."""
        self._price = limits.price_of(model)
        if limits.max_cost is not None and self._price is None:
            raise UsageError(
                f"a highest cost of {limits.max_cost} US dollars needs the price of {model!r}",
                next_step="Say what a million tokens cost, in and out (--price IN,OUT); prices are on the "
                "provider's pages",
            )
        self.limits, self._spent, self._max_tokens, self._caches = limits, spent, max_tokens, caches
        self._tokens_a_byte: float | None = None
        self._reserved = 0.0
        self._calls = 0
        self._settled = asyncio.Event()
        self._exhausted = False
        self._ended_s: float | None = None

    @asynccontextmanager
    async def room_for(self, prompt_bytes: int) -> AsyncIterator[None]:
        """Wait until a call may begin, and reserve the most that it may cost while it is under way."""
        worst = self._worst(prompt_bytes)
        await self._wait_for(worst)
        self._reserved += worst
        self._calls += 1
        try:
            if self.limits.delay_s and self._ended_s is not None:
                await asyncio.sleep(max(0.0, self._ended_s + self.limits.delay_s - time.monotonic()))
            yield
        finally:
            self._ended_s = time.monotonic()
            self._calls -= 1
            # Sums of floats drift; with no call under way nothing is held.
            self._reserved = self._reserved - worst if self._calls else 0.0
            self._settled.set()
            self._settled = asyncio.Event()

    def learn(self, prompt_bytes: int, usage: Mapping[str, int] | None) -> None:
        """Estimate later prompts by the tokens that one of ``prompt_bytes`` took, where that is known."""
        if usage:
            seen = usage["input_tokens"] / max(prompt_bytes, 1)
            self._tokens_a_byte = max(self._tokens_a_byte or 0.0, seen)

    def _worst(self, prompt_bytes: int) -> float:
        if self.limits.max_cost is None or self._price is None:
            return 0.0
        ratio = 1 / BYTES_A_TOKEN if self._tokens_a_byte is None else self._tokens_a_byte
        tokens = prompt_bytes * ratio
        written = tokens if self._caches else 0.0
        return max(
            cost(self._price, tokens, self._max_tokens),
            cost(self._price, tokens, self._max_tokens, written=written),
        )

    async def _wait_for(self, worst: float) -> None:
        most = self.limits.max_cost
        if most is None:
            return
        while not self._exhausted and self._spent() + self._reserved + worst > most:
            if self._calls:
                await self._settled.wait()
            else:
                self._exhausted = True
        if self._exhausted:
            raise Exhausted
