"""Probes about things that were never said: right is to say so."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.probes.kind import JudgePrompt, ProbeKind
from tellapart.longcontext.probes.needs import Needs
from tellapart.longcontext.rules.claims import readable
from tellapart.longcontext.rules.manner import refuses


class Abstention(ProbeKind):
    """Something that was never said."""

    name = "abstention"
    precedence = 50
    one_answer = False
    judge = JudgePrompt(
        "abstention",
        ("CORRECT", "HALLUCINATED"),
        lambda expected: {"expected": expected.answer},
    )

    def can_grade(self, expected: Expected | None) -> bool:
        """That nothing was said is all there is to know; an explanation may stand beside it."""
        return True

    def needs(self, question: str, expected: Expected) -> Needs:
        """What was never said stands nowhere."""
        return Needs(())

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        """CORRECT where the response says that it does not know, or was not told; else HALLUCINATED."""
        if refuses(readable(response)):
            return Grade("CORRECT", "It says that this was not said.")
        return Grade("HALLUCINATED", "It answers a question about something that was never said.")


KIND = Abstention()
