"""Probes whose right answer is described and not given: only a judge can grade them."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.probes.kind import JudgePrompt, ProbeKind
from tellapart.longcontext.probes.needs import Needs
from tellapart.longcontext.rules.answer_spec import AnswerSpec
from tellapart.longcontext.rules.verdict import cannot_tell


class _Rubric(ProbeKind):
    name = "rubric"
    precedence = 60
    one_answer = False
    judge = JudgePrompt(
        "rubric",
        ("CORRECT", "PARTIAL", "HALLUCINATED", "REFUSED"),
        lambda expected: {"expected": expected.answer or "(none)"},
    )

    def needs(self, question: str, expected: Expected) -> Needs:
        """What a description has of facts need not stand anywhere."""
        return Needs(())

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        """EVAL_ERROR: rules know no meaning."""
        return cannot_tell("the right answer is described, and not given")

    def spec(self, question: str, expected: Expected, material: Sequence[str]) -> AnswerSpec | None:
        """Nothing of it is seen."""
        return AnswerSpec((), frozenset(), (), coverage=0.0, hidden=(expected.answer or "the answer",))


KIND = _Rubric()
