"""What explorers that are language models have cost: one limit holds for them and the judge together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tellapart.codesearch.explorers.registry import parse_name
from tellapart.codesearch.exploring import Explorations
from tellapart.llm.agents import Purse
from tellapart.llm.budget import Limits, cost
from tellapart.store import Journal

SPENDING = "spending.jsonl"
"""File of a run with what each reply to an explorer cost, one JSON object a line."""


class KeptPurse(Purse):
    """A purse that puts down what is spent as soon as it is.

    An exploration that is cut off leaves nothing but its costs: without them a run that is stopped by its
    limit again and again would spend it again and again.
    """

    def __init__(self, path: Path, known: float = 0.0) -> None:
        """Read what earlier processes spent; at least what is ``known``, in US dollars."""
        self._journal = Journal(path)
        put_down: float = sum(entry["dollars"] for entry in self._journal.entries)
        self._dollars: float = max(known, put_down)

    @property
    def dollars(self) -> float:
        """US dollars so far."""
        return self._dollars

    @dollars.setter
    def dollars(self, now: float) -> None:
        self._journal.append({"dollars": now - self._dollars})
        self._dollars = now


def spent(kept: Explorations, explorers: tuple[str, str], limits: Limits) -> float:
    """US dollars of all explorations that came to an end, by whichever process.

    Args:
        kept: The journal of the run.
        explorers: Names of run A's and run B's.
        limits: Whose prices are taken; a model without one costs nothing that is known.
    """
    dollars = 0.0
    for which, name in zip("ab", explorers, strict=True):
        kind, model = parse_name(name)
        price = limits.price_of(model) if kind == "agent" else None
        if price:
            dollars += cost(price, *kept.tokens({f"run_{which}", f"retest_{which}"}))
    return dollars


def left(limits: Limits, dollars: float) -> Limits:
    """The limits of what comes next, when so much is spent."""
    if limits.max_cost is None:
        return limits
    return replace(limits, max_cost=max(0.0, limits.max_cost - dollars))
