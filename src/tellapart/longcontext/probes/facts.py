"""Probes that ask for facts: the answer is right if it states those of the right answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import facts_of
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.probes.kind import ProbeKind, answer_of
from tellapart.longcontext.probes.needs import denies
from tellapart.longcontext.rules.answer_spec import AnswerSpec, answer_spec
from tellapart.longcontext.rules.by_facts import grade_answer, spec_among


class _Facts(ProbeKind):
    name = "facts"
    precedence = 0

    def gives_away(self, question: str, expected: Expected) -> bool:
        """Whether the question has all that is asked for; a denial repeats what it denies."""
        answer = expected.answer
        if not answer or denies(answer):
            return False
        facts = {fact.normal for fact in facts_of(answer)}
        spec = answer_spec(question, expected)
        words = spec.terms or spec.hidden or spec.polarity or spec.details
        return bool(facts) and not words and facts <= {fact.normal for fact in facts_of(question)}

    def spec(self, question: str, expected: Expected, material: Sequence[str]) -> AnswerSpec | None:
        """Of the right answer that rules see best; None where the key says how to compare."""
        if expected.exact or expected.regex or expected.required or not expected.answers:
            return None
        specs = [
            spec_among(question, replace(expected, answer=answer), material) for answer in expected.answers
        ]
        return max(specs, key=lambda spec: spec.coverage)

    def can_grade(self, expected: Expected | None) -> bool:
        """Whether there is an answer, a pattern or a text that is required."""
        rules = (expected.accept, expected.regex, expected.required) if expected else ()
        return bool(answer_of(expected)) or any(rules)

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        return grade_answer(question, response, expected, material)


KIND = _Facts()
