"""How the author of a key says that a response is right: exact, by a pattern, with required texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import facts_of, states
from tellapart.longcontext.facts.text import words_of
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.rules.claims import assertive
from tellapart.longcontext.rules.manner import hedges, refuses
from tellapart.longcontext.rules.verdict import listed
from tellapart.longcontext.rules.words import stems_of

_BEST_FIRST = ("CORRECT", "EVAL_ERROR", "PARTIAL", "CONFUSED", "HALLUCINATED", "REFUSED")
"""Of the grades by several right answers the first counts; one that rules cannot tell may be the best."""


def grade_as_asked(question: str, response: str, expected: Expected) -> Grade | None:
    """Grade by ``exact``, ``regex`` or ``required``, in this order; None where the key has none of them."""
    if expected.exact:
        right = any(words_of(response) == words_of(answer) for answer in expected.answers)
        return _graded(right, response, "It is the right answer itself.", "It is not the right answer.")
    if expected.regex is not None:
        right = re.search(expected.regex, response) is not None
        shown = repr(expected.regex)
        return _graded(right, response, f"It matches {shown}.", f"It does not match {shown}.")
    if not expected.required:
        return None
    text = assertive(response, question)
    there = [required for required in expected.required if _states(text, required)]
    absent = listed([required for required in expected.required if required not in there])
    if 0 < len(there) < len(expected.required):
        return Grade("PARTIAL", f"It states {listed(there)}, not {absent}.", absent, coverage=1.0)
    return _graded(bool(there), response, f"It states {listed(there)}.", f"It does not state {absent}.")


def best_of(answers: Sequence[str], grade: Callable[[str], Grade]) -> Grade:
    """The best grade by several answers that are as right."""
    return min((grade(answer) for answer in answers), key=lambda given: _BEST_FIRST.index(given.category))


def _states(text: str, required: str) -> bool:
    facts = facts_of(required)
    words = set(stems_of(required)) - {stem for fact in facts for stem in stems_of(fact.text)}
    return all(states(text, fact) for fact in facts) and words <= set(stems_of(text))


def _graded(right: bool, response: str, why: str, why_not: str) -> Grade:
    if right:
        return Grade("CORRECT", why, coverage=1.0)
    silent = refuses(response) or hedges(response) or not response.strip()
    return Grade("REFUSED" if silent else "HALLUCINATED", why_not, coverage=1.0)
