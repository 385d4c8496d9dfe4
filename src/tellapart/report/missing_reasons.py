"""Why answers are missing, in words."""

from __future__ import annotations

from collections.abc import Mapping

from tellapart.report.numbers import count

KINDS = {
    "rate_limit": "rate limit, 429",
    "overloaded": "overloaded, 529",
    "server_error": "server error, 5xx",
    "connection": "connection lost",
    "exited": "the program ended",
    "raised": "an exception was raised",
    "reported": "the assistant reported an error",
    "too_long": "line of the reply too long",
    "bad_request": "request rejected, 4xx",
    "not_recorded": "not in the journal",
    "timeout": "no reply in time",
    "empty": "empty reply",
    "not_json": "no JSON in the reply",
    "schema": "reply of another form",
    "out_of_range": "outside what was offered",
    "unusable": "one of too many unusable replies in a row",
    "quoted": "copied from the material",
    "refusal": "declined to answer",
    "max_tokens": "cut off at max_tokens",
    "context_length": "too long for the model",
    "max_cost": "cost limit reached",
    "turns": "turns used up",
    "tokens": "tokens used up",
}
"""Kinds of failures in words; one that is not here is shown as it is."""


def by_cause(counts: Mapping[str, int]) -> str:
    """Put counts by cause as in ``judge 12, timeout 1``; empty where there is nothing."""
    return ", ".join(f"{cause} {count(n)}" for cause, n in counts.items())


def why(missing: str, failure: str | None) -> str:
    """Put the cause of a missing answer and its kind in words: ``provider (rate limit, 429)``."""
    return f"{missing} ({KINDS.get(failure, failure)})" if failure else missing
