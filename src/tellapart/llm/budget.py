"""What asking may take: calls at the same time, and money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Price = tuple[float, float]
"""US dollars for a million tokens in, and out."""


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
    """

    max_connections: int = 10
    max_cost: float | None = None
    price: Price | Mapping[str, Price] | None = None
    on_budget: Literal["stop", "close"] = "stop"

    def price_of(self, model: str) -> Price | None:
        """Price of a model by its name, or None where nobody said."""
        if isinstance(self.price, Mapping):
            return self.price.get(model)
        return self.price


NO_LIMITS = Limits()
