"""What kind of probe a step is, and with which other probes it asks the same."""

from __future__ import annotations

import re

from tellapart.longcontext.case import BANNED, Expected, Rule
from tellapart.longcontext.facts import facts_of

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

    What its author says decides; then its failure mode, where that names a rule; then what is given: a word
    that is banned, entries without a plain answer, early or late data without one. The documented ids count
    only where there is no failure mode, no answer and no evidence: somebody else's V1-4 may ask for anything.
    """
    if expected is not None and expected.rule is not None:
        return expected.rule
    mode = (failure_mode or (expected.failure_mode if expected else None) or "").lower()
    named = next((rule for words, rule in _BY_MODE if words in mode), None)
    if named is not None:
        return named
    given = _by_what_is_given(expected, mode) if expected is not None else None
    if given is not None:
        return given
    described = bool(mode) or (expected is not None and bool(_answer(expected) or expected.evidence))
    return "facts" if described else _BY_ID.get(step_id.partition(" (")[0], "facts")


def _by_what_is_given(expected: Expected, mode: str) -> Rule | None:
    answer = _answer(expected)
    if expected.banned:
        return "sink"
    # "See the list below." is no answer that could be right or wrong.
    if expected.entries and not facts_of(answer):
        return "enumeration"
    if (expected.early or expected.late) and not (answer and mode):
        return "recency"
    return None


def has_answer(step_id: str, failure_mode: str | None, expected: Expected | None) -> bool:
    """Whether a probe can be graded: by its answer, its entries, early and late data, or a banned word.

    A probe for recency needs none where anything is known of it, as the question is which entries are cited.
    """
    rule = rule_of(step_id, failure_mode, expected)
    if expected is None:
        return rule == "sink"
    if rule in ("sink", "recency"):
        return True
    return bool(_answer(expected)) or (rule == "enumeration" and bool(expected.entries))


def banned_of(expected: Expected | None) -> str:
    """The word that a probe for a banned word looks for: its author's, else the documented one."""
    return (expected.banned if expected is not None else None) or BANNED


def _answer(expected: Expected) -> str:
    return (expected.answer or "").strip()


_PREFIX = re.compile(
    r"^(?:(?:quick|final)\s+recall(?:\s+check)?(?:\s+again)?|same question(?: again)?)\s*:\s*", re.I
)


def item_of(question: str) -> str:
    """What makes two probes the same item: the question without its lead-in, case and spaces.

    ``Quick recall check again: What was …?`` asks what ``Final recall: What was …?`` asks.
    """
    return re.sub(r"\s+", " ", _PREFIX.sub("", question.strip())).casefold()
