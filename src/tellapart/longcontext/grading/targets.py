"""Which entries a question is about, and where a claim about them comes from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts.facts import Fact, facts_of, references, states
from tellapart.longcontext.grading.claims import Claim
from tellapart.longcontext.grading.passages import Passage, authors_in

Origin = Literal["known", "own", "elsewhere", "foreign", "invented"]
"""``known`` from the right answer, ``own`` from the entry in question, ``elsewhere`` true of the entry that
it is said of, ``foreign`` from another entry than the one it is said of, ``invented`` from nowhere."""


def targets_of(question: str, expected: Expected, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The entries that a question is about.

    Those whose number or author it names; else those that the right answer names; else those that hold the
    most of its facts, all of them on a tie. None where nothing of the answer was ever shown.
    """
    for text in (question, expected.answer or ""):
        if found := _named(text, passages):
            return found
    facts = facts_of(expected.answer or "")
    held = [sum(states(one.text, fact) for fact in facts) for one in passages]
    most = max(held, default=0)
    return tuple(one for one, n in zip(passages, held, strict=True) if n == most) if most else ()


def _named(text: str, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    numbers = {n for n, _ in references(text)}
    if found := tuple(one for one in passages if one.number in numbers):
        return found
    names = {name for _, name in authors_in(text, [one.author for one in passages if one.author])}
    return tuple(one for one in passages if one.author in names)


def origin_of(
    claim: Claim, known: Sequence[Fact], targets: Sequence[Passage], passages: Sequence[Passage]
) -> tuple[Origin, Passage | None]:
    """Where a claim comes from, and the other entry where it is ``elsewhere`` or ``foreign``.

    A fact of the right answer that is said of another entry than the one in question, and not true of that,
    is ``foreign``: it is the right number for the wrong study.
    """
    owner = claim.owner if claim.owner not in targets else None
    if owner is not None:
        if holds(owner, claim, everywhere=True):
            return "elsewhere", owner
    elif any(_same(claim, fact) for fact in known):
        return "known", None
    elif any(holds(one, claim, everywhere=_is_year(claim)) for one in targets):
        return "own", None
    others = (one for one in passages if one is not owner and (owner is not None or one not in targets))
    other = next((one for one in others if holds(one, claim, everywhere=False)), None)
    if other is None and owner is None and any(holds(one, claim, everywhere=True) for one in targets):
        return "own", None
    return ("foreign", other) if other else ("invented", None)


def _is_year(claim: Claim) -> bool:
    """Volumes and pages of a heading are no details of its entry, but its year is."""
    return re.fullmatch(r"(?:19|20)\d\d", claim.fact.text) is not None


def _same(claim: Claim, fact: Fact) -> bool:
    if claim.fact.kind == "number":
        return fact.kind == "number" and states(claim.fact.text, fact)
    return states(claim.fact.text, fact) or states(fact.text, claim.fact)


def holds(passage: Passage, claim: Claim, *, everywhere: bool = False) -> bool:
    """Whether an entry has what is claimed; in the line of its heading only if ``everywhere``."""
    if claim.fact.kind == "number":
        return passage.holds(claim.value, claim.unit, everywhere=everywhere)
    return passage.says(claim.fact)
