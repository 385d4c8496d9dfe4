"""What explorers that are language models have cost: one limit holds for them and the judge together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tellapart.codesearch.explorers.agent import Agent
from tellapart.codesearch.explorers.protocol import Explorer
from tellapart.codesearch.exploring import Explorations
from tellapart.llm.budget import Limits, cost


def spent(kept: Explorations, explorers: Mapping[str, Explorer], limits: Limits) -> float:
    """US dollars of all explorations that came to an end, by whichever process.

    Args:
        kept: The journal of the run.
        explorers: By role.
        limits: Whose prices are taken; a model without one costs nothing that is known.
    """
    dollars = 0.0
    for role, explorer in explorers.items():
        price = limits.price_of(explorer.model) if isinstance(explorer, Agent) else None
        if price:
            dollars += cost(price, *kept.tokens({role}))
    return dollars


def left(limits: Limits, dollars: float) -> Limits:
    """The limits of what comes next, when so much is spent."""
    if limits.max_cost is None:
        return limits
    return replace(limits, max_cost=max(0.0, limits.max_cost - dollars))
