"""What asking may take: calls at the same time, time between them, and money."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from tellapart.errors import UsageError

if TYPE_CHECKING:
    import anyio

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
    """US dollars for tokens in and out."""
    of_cached, of_written = _of_caches(price)
    plain = input_tokens - cached - written
    return (
        plain * price[0] + output_tokens * price[1] + cached * of_cached + written * of_written
    ) / 1_000_000


def _of_caches(price: Price) -> tuple[float, float]:
    """US dollars for a million tokens that come from a cache, and that go into one."""
    return price[2] if len(price) > 2 else price[0], price[3] if len(price) > 3 else price[0] * WRITTEN


class Exhausted(Exception):
    """A call does not fit into what may still be spent."""


class Budget:
    """Lets a call begin only while the worst that all calls under way may cost still fits.

    The worst is the prompt's tokens, estimated, none of which a cache has, and as many tokens of reply as
    were allowed; what a cache had is known with the reply. The limit is passed by no more than that estimate
    is wrong: at first ``BYTES_A_TOKEN``, then the most tokens a byte that a reply has reported. What a
    provider bills for a call that never answered cannot be known.
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
        """Watch the calls to one model."""
        self._price = limits.price_of(model)
        if limits.max_cost is not None and self._price is None:
            raise UsageError(
                f"a highest cost of {limits.max_cost} US dollars needs the price of {model!r}",
                next_step="Say what a million tokens cost, in and out (--price IN,OUT); prices are on the "
                "provider's pages",
            )
        self._most, self._spent, self._max_tokens = limits.max_cost, spent, max_tokens
        self._caches = caches
        self._tokens_a_byte: float | None = None
        self._reserved = 0.0
        self._calls = 0
        self._settled: anyio.Event | None = None
        self._exhausted = False

    @asynccontextmanager
    async def room_for(self, prompt_bytes: int) -> AsyncIterator[None]:
        """Reserve the highest cost of a call while it is under way; wait where other calls decide that."""
        if self._most is None or self._price is None:
            yield
            return
        ratio = 1 / BYTES_A_TOKEN if self._tokens_a_byte is None else self._tokens_a_byte
        tokens = prompt_bytes * ratio
        worst = cost(self._price, tokens, self._max_tokens)
        if self._caches:
            worst = max(worst, cost(self._price, tokens, self._max_tokens, written=tokens))
        await self._wait_for(worst, self._most)
        self._reserved += worst
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
            # Sums of floats drift; with no call under way nothing is held.
            self._reserved = self._reserved - worst if self._calls else 0.0
            if self._settled is not None:
                self._settled.set()
                self._settled = None

    def learn(self, prompt_bytes: int, input_tokens: int) -> None:
        """Estimate later prompts by what one of ``prompt_bytes`` took."""
        self._tokens_a_byte = max(self._tokens_a_byte or 0.0, input_tokens / max(prompt_bytes, 1))

    async def _wait_for(self, worst: float, most: float) -> None:
        import anyio

        while not self._exhausted and self._spent() + self._reserved + worst > most:
            if not self._calls:
                self._exhausted = True
                break
            if self._settled is None:
                self._settled = anyio.Event()
            await self._settled.wait()
        if self._exhausted:
            raise Exhausted


class Pace:
    """Keeps calls that are made one at a time apart, whatever becomes of them."""

    def __init__(self, delay_s: float) -> None:
        """Leave ``delay_s`` seconds between the end of one call and the beginning of the next."""
        self._delay_s = delay_s
        self._ended_s: float | None = None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for one's turn, and have it while the block lasts; the first call waits for nothing."""
        if self._ended_s is not None and self._delay_s:
            import anyio

            await anyio.sleep(max(0.0, self._ended_s + self._delay_s - time.monotonic()))
        try:
            yield
        finally:
            self._ended_s = time.monotonic()
