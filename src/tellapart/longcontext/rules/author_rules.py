"""How the author of a key says that a response is right: exact, by a pattern, with required texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import facts_of, states
from tellapart.longcontext.facts.text import folded, itself, unread_in
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.rules.claims import assertive, readable
from tellapart.longcontext.rules.manner import hedges, refuses
from tellapart.longcontext.rules.patterns import matches
from tellapart.longcontext.rules.verdict import listed
from tellapart.longcontext.rules.words import stems_of

_BEST_FIRST = ("CORRECT", "EVAL_ERROR", "PARTIAL", "CONFUSED", "HALLUCINATED", "REFUSED")
"""Of the grades by several right answers the first counts; one that rules cannot tell may be the best."""


def grade_as_asked(question: str, response: str, expected: Expected) -> Grade | None:
    """Grade by ``exact``, ``regex`` or ``required``, in this order; None where the key has none of them."""
    if expected.exact:
        right = is_one_of(response, expected.answers)
        return _graded(right, response, "It is the right answer itself.", "It is not the right answer.")
    if expected.regex is not None:
        right = matches(expected.regex, response)
        shown = repr(expected.regex)
        return _graded(right, response, f"It matches {shown}.", f"It does not match {shown}.")
    if not expected.required:
        return None
    text = assertive(readable(response), question)
    there = [required for required in expected.required if _states(text, required)]
    absent = listed([required for required in expected.required if required not in there])
    if 0 < len(there) < len(expected.required):
        return Grade("PARTIAL", f"It states {listed(there)}, not {absent}.", absent, coverage=1.0)
    return _graded(bool(there), response, f"It states {listed(there)}.", f"It does not state {absent}.")


def best_of(answers: Sequence[str], grade: Callable[[str], Grade]) -> Grade:
    """The best grade by several answers that are as right."""
    return min((grade(answer) for answer in answers), key=lambda given: _BEST_FIRST.index(given.category))


def is_one_of(response: str, answers: Sequence[str]) -> bool:
    """Whether a response is one of the answers, but for case, blanks and punctuation."""
    # Punctuation and blanks may stand around each sign, but a response of another length is no copy.
    near = [answer for answer in answers if len(response.strip()) <= 4 * len(answer) + 100]
    return bool(near) and itself(response) in {itself(answer) for answer in near}


def _states(text: str, required: str) -> bool:
    facts = facts_of(required)
    words = set(stems_of(required)) - {stem for fact in facts for stem in stems_of(fact.text)}
    if not facts and not words:
        return required.casefold() in text.casefold()
    unread = set(unread_in(required))
    there = folded(text)
    return (
        all(states(text, fact) for fact in facts)
        and words <= set(stems_of(text))
        and all(run in there for run in unread)
    )


def _graded(right: bool, response: str, why: str, why_not: str) -> Grade:
    if right:
        return Grade("CORRECT", why, coverage=1.0)
    silent = refuses(response) or hedges(response) or not response.strip()
    return Grade("REFUSED" if silent else "HALLUCINATED", why_not, coverage=1.0)
