"""Why answers are missing, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from tellapart.report.numbers import count, listed

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


def reasons(rows: pl.DataFrame) -> list[tuple[str, str | None, int]]:
    """Count why answers are missing."""
    lost = rows.filter(pl.col("missing").is_not_null())
    kind = pl.col("failure") if "failure" in rows.columns else pl.lit(None, dtype=pl.String)
    counts = lost.group_by("missing", kind.alias("failure")).len()
    ordered = counts.sort("len", "missing", "failure", descending=[True, False, False], nulls_last=True)
    return [(cause, kind and KINDS.get(kind, kind), number) for cause, kind, number in ordered.iter_rows()]


def in_words(counted: Sequence[tuple[str, str | None, int]]) -> str:
    """Put what ``reasons`` gives as in ``7 provider (rate limit, 429: 5; server error, 5xx: 2)``."""
    parts = []
    for cause in sorted({cause for cause, _, _ in counted}):
        kinds = [(what, number) for other, what, number in counted if other == cause]
        phrases = [what if len(kinds) == 1 else f"{what}: {number}" for what, number in kinds if what]
        total = sum(number for _, number in kinds)
        parts.append(f"{total} {cause} ({'; '.join(phrases)})" if phrases else f"{total} {cause}")
    return listed(parts)
