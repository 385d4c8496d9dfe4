"""Probes that ask for facts: the answer is right if it states those of the right answer."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import facts_of
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.probes.kind import ProbeKind
from tellapart.longcontext.probes.needs import denies
from tellapart.longcontext.rules.by_facts import grade_facts
from tellapart.longcontext.rules.claims import readable


class _Facts(ProbeKind):
    name = "facts"
    precedence = 0

    def gives_away(self, question: str, expected: Expected) -> bool:
        """Whether the question has all facts of the answer; a denial repeats what it denies."""
        answer = expected.answer
        if not answer or denies(answer):
            return False
        facts = {fact.normal for fact in facts_of(answer)}
        return bool(facts) and facts <= {fact.normal for fact in facts_of(question)}

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        return grade_facts(question, readable(response), expected, material)


KIND = _Facts()
