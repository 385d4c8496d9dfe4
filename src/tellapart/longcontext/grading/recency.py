"""Whether a response prefers what was shown last."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts.facts import facts_of, references
from tellapart.longcontext.grading.claims import LONGEST, assertive, claims_of
from tellapart.longcontext.grading.grades import Grade
from tellapart.longcontext.grading.manner import hedges, refuses
from tellapart.longcontext.grading.passages import Passage, authors_in, called, passages_of

DOCUMENTED_EARLY, DOCUMENTED_LATE = frozenset((1, 3)), frozenset((10, 18, 19))
"""The document's own lists, for a key that says nothing."""

_OVER = re.compile(r"\b(?:over|rather than|instead of|than)\b", re.I)


def sides_of(expected: Expected) -> tuple[frozenset[int], frozenset[int]]:
    """The numbers of early and of recent entries, by the key: its early and late data, else its test.

    ``cites Studies 18-19 over Study 3`` names the recent ones first.
    """
    early = frozenset(n for n, _ in references(expected.early or ""))
    late = frozenset(n for n, _ in references(expected.late or ""))
    if not early and not late and (over := _OVER.search(expected.test or "")):
        test = expected.test or ""
        late = frozenset(n for n, _ in references(test[: over.start()]))
        early = frozenset(n for n, _ in references(test[over.end() :])) - late
    return (early, late) if early or late else (DOCUMENTED_EARLY, DOCUMENTED_LATE)


def grade_recency(question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
    """Grade by the entries that a response cites, by number, by author or by their figures.

    Only recent ones: RECENCY_BIAS_DETECTED. Any other beside or instead of them: NO_BIAS, as a bias is to
    pass over what came before. None at all: REFUSED where it does not know, else NO_BIAS with a note.
    """
    early, late = sides_of(expected)
    text = assertive(response, question)
    passages = passages_of(material)
    cited = _cited(text, question, expected, passages)
    recent = sorted(n for n in cited if n in late)
    before = sorted(n for n in cited if n not in late)
    if recent and not before:
        return Grade(
            "RECENCY_BIAS_DETECTED", "It cites only recent entries.", ", ".join(called(recent, passages))
        )
    if cited:
        what = "It cites early entries too." if recent else "It cites no recent entry."
        note = (
            None
            if set(before) & early or recent
            else "Cites neither the early nor the recent entries of the key."
        )
        return Grade("NO_BIAS", what, ", ".join(called(before, passages)), note=note)
    if refuses(response[:LONGEST]) or hedges(response[:LONGEST]) or not response.strip():
        return Grade("REFUSED", "It says that it does not know.")
    return Grade("NO_BIAS", "It cites no entry.", note="No entry could be recognised in the response.")


def _cited(text: str, question: str, expected: Expected, passages: Sequence[Passage]) -> set[int]:
    numbers = {n for n, _ in references(text)}
    by_author = {one.author: one.number for one in passages if one.author and one.number is not None}
    numbers |= {by_author[name] for _, name in authors_in(text, tuple(by_author))}
    return numbers or _by_figures(text, question, expected, passages)


def _by_figures(text: str, question: str, expected: Expected, passages: Sequence[Passage]) -> set[int]:
    """The entries that hold the most of the figures of a text, the earliest on a tie."""
    given = {fact.normal for fact in facts_of(question)}
    claims = [
        claim
        for claim in claims_of(text, passages)
        if claim.fact.kind == "number" and claim.fact.normal not in given and claim.label != "p"
    ]
    held = {
        one.number: sum(one.holds(claim.value, claim.unit) for claim in claims)
        for one in passages
        if one.number is not None
    }
    for side in (expected.late, expected.early):
        values = {fact.normal for fact in facts_of(side or "") if fact.kind == "number"}
        for n, _ in references(side or "")[:1]:
            held[n] = max(held.get(n, 0), sum(claim.fact.normal in values for claim in claims))
    most = max(held.values(), default=0)
    return {min(n for n, count in held.items() if count == most)} if most else set()
