"""How long a context was meant to be, in the document's words."""

from __future__ import annotations

from tellapart.longcontext.page.record import Figures
from tellapart.report import numbers as show

CASES = {"case_1_short": "~2K", "case_2_long": "~30-40K", "case_3_overflow": "~128K"}
"""What the document expects of its three cases."""

_LEAST = {"case_1_short": 2_000, "case_2_long": 30_000, "case_3_overflow": 128_000}
_PROBES = {
    "case_1_short": {"V1-4": "~2K"},
    "case_2_long": {"C2-1": "~4K", "C2-3": "~10K", "V2-4": "~20K", "V2-7": "~20K"},
    "case_3_overflow": {
        "C3-1": "~40K",
        "C3-3": "~60K",
        "C3-5": "~80K",
        "C3-7": "~100K",
        "V3-4": "~120K",
        "V3-6": "~120K",
    },
}


def about(tokens: int | None) -> str:
    """Round a number of tokens as the document does: ``~4K``, ``~1.5K``, ``~500``; a dash of None."""
    if tokens is None:
        return show.DASH
    for unit, letter in ((1_000_000, "M"), (1_000, "K")):
        if tokens >= unit:
            return f"~{round(tokens / unit, 1 if tokens < 10 * unit else None):g}{letter}"
    return f"~{tokens}"


def of_probe(probe: Figures) -> str:
    """How long the context of a probe was meant to be; the document's own words for its own probes."""
    known = _PROBES.get(probe["case"], {}).get(probe["step_id"])
    return known or about(probe["intended_tokens"])


def of_case(playing: Figures) -> str:
    """How long a conversation was meant to become; the document's own words for its own cases."""
    return CASES.get(playing["name"]) or about(playing["expected_tokens"])


def least_of(playing: Figures) -> int | None:
    """The fewest tokens that a conversation was meant to reach; None where nobody says."""
    known = _LEAST.get(playing["name"])
    tokens: int | None = playing["expected_tokens"]
    return tokens if known is None else known
