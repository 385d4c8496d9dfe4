"""An offline judge: no language model, but it does the work, by the facts that texts share."""

from __future__ import annotations

import re

from tellapart.llm.offline import respond
from tellapart.llm.quoting import material_of
from tellapart.longcontext.facts.facts import facts_of, states

_PART = re.compile(r"^\w+ ([A-Z' ]+):\n((?:\|.*\n)+)", re.MULTILINE)
_UNKNOWN = re.compile(
    r"\b(?:do(?:es)?n[o']t|not|cannot|can't|unable|no) \w* ?(?:know|find|recall|mention|info)", re.I
)


@respond("compares")
def compares(prompt: str) -> str:
    """Score a response by how many facts of the expected answer it states.

    All of them make it CORRECT, some PARTIAL; none REFUSED where it says that it does not know, else
    HALLUCINATED. Of a probe for recency it counts whether more of the early facts are there or of the recent
    ones; as many of both are no bias. A prompt with no response to be scored, such as one to repair a reply,
    has an answer that cannot be read.
    """
    parts = {name: material_of(text) for name, text in _PART.findall(prompt)}
    response = parts.get("MODEL'S ACTUAL ANSWER")
    if response is None:
        return "There is nothing to score."
    if "EXPECTED CORRECT ANSWER" not in parts:
        return _recency(response, parts.get("EARLY DATA", ""), parts.get("RECENT DATA", ""))
    facts = facts_of(parts["EXPECTED CORRECT ANSWER"])
    found = [fact.text for fact in facts if states(response, fact)]
    if facts and len(found) == len(facts):
        score = "CORRECT"
    elif found:
        score = "PARTIAL"
    else:
        score = "REFUSED" if _UNKNOWN.search(response) else "HALLUCINATED"
    return _lines(score, f"It states {len(found)} of the {len(facts)} facts of the answer.", found)


def _recency(response: str, early: str, late: str) -> str:
    said = [[fact.text for fact in facts_of(text) if states(response, fact)] for text in (early, late)]
    score = "RECENCY_BIAS_DETECTED" if len(said[1]) > len(said[0]) else "NO_BIAS"
    reason = f"It states {len(said[0])} facts of early entries and {len(said[1])} of recent ones."
    return _lines(score, reason, [*said[0], *said[1]])


def _lines(score: str, reason: str, found: list[str]) -> str:
    return f"SCORE: {score}\nREASON: {reason}\nKEY_DETAIL: {', '.join(found) or 'none'}"
