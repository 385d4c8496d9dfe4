"""What asking may take: calls at the same time, time between them, and money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from tellapart.errors import OverBudget

Price = tuple[float, float] | tuple[float, float, float] | tuple[float, float, float, float]
"""US dollars for a million tokens in, and out; then in from a cache, and in that go into one.

Without the third, tokens from a cache cost as much as others; without the fourth, tokens that go into one
cost ``WRITTEN`` times as much.
"""

WRITTEN = 1.25
"""What a token costs that goes into a cache, as Anthropic bills it for five minutes; others bill nothing more
for it, and report none."""


@dataclass(frozen=True)
class Limits:
    """What asking may take.

    Attributes:
        max_connections: Calls under way at the same time, at least 1.
        max_cost: In US dollars, all calls of one run together, earlier processes included; None for no limit.
            Then a run ends with ``OverBudget``, and the same command with a higher limit continues.
        price: Of all models, or of each by its name; None where nobody said. There is no list of prices: they
            change.
        max_failures: Failures in a row after which no further call is made, see ``Breaker``; 0
            for any number.
        delay_s: Seconds from the end of one call to the beginning of the next; above 0, calls go one at a
            time. What a journal answers is not waited for.
    """

    max_connections: int = 10
    max_cost: float | None = None
    price: Price | Mapping[str, Price] | None = None
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
