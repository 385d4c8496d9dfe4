"""What kind of probe a step is, and with which other probes it asks the same."""

from __future__ import annotations

import re

from tellapart.longcontext.case import Expected, Rule

_BY_MODE: tuple[tuple[str, Rule], ...] = (
    ("attention sink", "sink"),
    ("recency", "recency"),
    ("enumeration", "enumeration"),
)
_BY_ID: dict[str, Rule] = {
    **dict.fromkeys(("V1-4", "V2-7", "V3-6"), "sink"),
    **dict.fromkeys(("V2-5", "C3-6"), "recency"),
    "V3-3": "enumeration",
}


def rule_of(step_id: str, failure_mode: str | None, expected: Expected | None = None) -> Rule:
    """How a probe is graded.

    What its author says decides, then its failure mode, and the documented ids only where there is neither:
    somebody else's V1-4 may ask for anything.
    """
    if expected is not None and expected.rule is not None:
        return expected.rule
    mode = failure_mode or (expected.failure_mode if expected else None)
    if mode:
        return next((rule for words, rule in _BY_MODE if words in mode.lower()), "facts")
    return _BY_ID.get(step_id, "facts")


_PREFIX = re.compile(
    r"^(?:(?:quick|final)\s+recall(?:\s+check)?(?:\s+again)?|same question(?: again)?)\s*:\s*", re.I
)


def item_of(question: str) -> str:
    """What makes two probes the same item: the question without its lead-in, case and spaces.

    ``Quick recall check again: What was …?`` asks what ``Final recall: What was …?`` asks.
    """
    return re.sub(r"\s+", " ", _PREFIX.sub("", question.strip())).casefold()
