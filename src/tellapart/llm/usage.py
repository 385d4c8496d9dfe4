"""What is known of a model from its calls: how it was asked, what went out, and what it took."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tellapart.llm.budget import Limits, Price, cost


@dataclass
class ModelUse:
    """Of one model in one journal.

    Attributes:
        sent: Every value, as JSON, that each parameter had on the wire.
        calls: Calls that brought a reply; ``reused`` of them were taken over from an earlier run.
        attempts: Requests for all these and the ``failed`` ones, repeated ones included.
        cached_tokens: Of ``input_tokens``, those that came from a cache; None where no call reported any.
        paid: Tokens in, out, from a cache and into one, without those of calls that were taken over.
    """

    requested: list[dict[str, Any]] = field(default_factory=list)
    sent: dict[str, set[str]] = field(default_factory=dict)
    served: set[str] = field(default_factory=set)
    calls: int = 0
    failed: int = 0
    reused: int = 0
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int | None = None
    cache_written_tokens: int | None = None
    paid: tuple[int, int, int, int] = (0, 0, 0, 0)

    def add(self, call: Mapping[str, Any]) -> None:
        """Count a call as the journal holds it; programs that ask models have a list of ``served``."""
        attempts = call.get("attempts", 1)
        self.attempts += attempts
        if "failure" in call:
            self.failed += attempts > 0
            return
        self.calls += call.get("calls", 1)
        served = call.get("served") or ()
        self.served.update([served] if isinstance(served, str) else served)
        usage, cached = call.get("usage", {}), call.get("cached", {})
        tokens_in, tokens_out = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
        read, written = cached.get("read_tokens", 0), cached.get("written_tokens", 0)
        self.input_tokens += tokens_in
        self.output_tokens += tokens_out
        if cached:
            self.cached_tokens = (self.cached_tokens or 0) + read
            self.cache_written_tokens = (self.cache_written_tokens or 0) + written
        if call.get("reused"):
            self.reused += 1
        else:
            before = self.paid
            self.paid = (before[0] + tokens_in, before[1] + tokens_out, before[2] + read, before[3] + written)

    def note_sent(self, sent: Mapping[str, Iterable[Any]]) -> None:
        """Note values of parameters that went over the wire, as the journal holds them."""
        for name, values in sent.items():
            self.sent.setdefault(name, set()).update(json.dumps(value, sort_keys=True) for value in values)

    def not_yet_sent(self, sent: Mapping[str, set[str]]) -> dict[str, list[Any]]:
        """Of values as JSON, those that are not known yet, as the journal holds them; in a fixed order."""
        fresh = {name: values - self.sent.get(name, set()) for name, values in sent.items()}
        return {name: _from_json(values) for name, values in fresh.items() if values}

    def effective(self) -> dict[str, Any]:
        """The parameters that went out, a value each, or a list where they varied; or that none was seen."""
        if not self.sent and self.calls + self.failed:
            return {"observable": False}
        parameters = {name: _from_json(values) for name, values in sorted(self.sent.items())}
        return {name: values[0] if len(values) == 1 else values for name, values in parameters.items()}

    def record(self, price: Price | None) -> dict[str, Any]:
        """What a run's record says of the model; the cost, of all tokens, is None where a price lacks."""
        cached = {"cached_tokens": self.cached_tokens, "cache_written_tokens": self.cache_written_tokens}
        read, written = self.cached_tokens or 0, self.cache_written_tokens or 0
        is_counted = bool(self.input_tokens or self.output_tokens or not self.calls)
        return {
            "requested": self.requested[-1] if self.requested else {},
            "effective": self.effective(),
            "served": sorted(self.served),
            "calls": self.calls,
            "failed_calls": self.failed,
            "reused_calls": self.reused,
            "requests": self.attempts,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            **{name: tokens for name, tokens in cached.items() if tokens is not None},
            "cost": cost(price, self.input_tokens, self.output_tokens, read, written)
            if price and is_counted
            else None,
        }


def _from_json(values: Iterable[str]) -> list[Any]:
    return [json.loads(value) for value in sorted(values)]


def spent(models: Mapping[str, ModelUse], limits: Limits) -> float:
    """US dollars for calls so far; those taken over, and those of models without a price, count nothing."""
    priced = ((limits.price_of(name), use.paid) for name, use in models.items())
    return sum(cost(price, *paid) for price, paid in priced if price)
