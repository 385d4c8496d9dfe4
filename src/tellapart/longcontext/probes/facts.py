"""Probes that ask for facts: the answer is right if it states those of the right answer."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade, not_graded
from tellapart.longcontext.probes.kind import ProbeKind, answer_of
from tellapart.longcontext.probes.needs import denies
from tellapart.longcontext.rules.asked import asked_of
from tellapart.longcontext.rules.author_rules import grade_as_asked
from tellapart.longcontext.rules.matcher import IN_OTHER_WORDS, grade_values
from tellapart.longcontext.values import facts_of
from tellapart.longcontext.values.text import content_stems

_BEST_FIRST = ("CORRECT", "EVAL_ERROR", "PARTIAL", "CONFUSED", "HALLUCINATED", "REFUSED")
"""Of the grades by several right answers the first counts; one that code cannot give may be the best."""


class _Facts(ProbeKind):
    name = "facts"
    precedence = 0

    def gives_away(self, question: str, expected: Expected) -> bool:
        """Whether the question has all that the answer says, and does not offer it beside another."""
        answer = expected.answer
        if not answer or denies(answer) or " or " in f" {question.lower()} ":
            return False
        values = {fact.normal for fact in facts_of(answer)}
        given = {fact.normal for fact in facts_of(question)}
        return bool(values) and values <= given and content_stems(answer) <= content_stems(question)

    def can_grade(self, expected: Expected | None) -> bool:
        """Whether there is an answer, a pattern or a text that is required."""
        rules = (expected.accept, expected.regex, expected.required) if expected else ()
        return bool(answer_of(expected)) or any(rules)

    def decidable(self, question: str, expected: Expected) -> bool:
        """Whether the author says how to compare, or every right answer can be compared by values."""
        if expected.exact or expected.regex is not None or expected.required:
            return True
        return bool(expected.answers) and all(
            asked_of(question, answer, expected.unit) is not None for answer in expected.answers
        )

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        """By the author's rule, else the best by any of the right answers."""
        grade = grade_as_asked(response, expected)
        if grade is not None:
            return grade
        if response.strip() and not self.decidable(question, expected):
            return not_graded(IN_OTHER_WORDS)
        grades = [grade_values(question, response, answer, material, expected) for answer in expected.answers]
        return min(grades, key=lambda given: _BEST_FIRST.index(given.category))


KIND = _Facts()
