"""Probes whose right answer is described and not given: only a judge can grade them."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade, not_graded
from tellapart.longcontext.probes.kind import JudgePrompt, ProbeKind
from tellapart.longcontext.probes.needs import Needs


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
        """EVAL_ERROR: code knows no meaning."""
        return not_graded("the right answer is described, and not given")


KIND = _Rubric()
