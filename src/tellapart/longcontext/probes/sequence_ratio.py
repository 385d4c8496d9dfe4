"""Probes that ask for a text word for word: how alike the response is, letter by letter."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Category, Grade, measured
from tellapart.longcontext.probes.kind import ProbeKind
from tellapart.longcontext.probes.needs import Needs
from tellapart.longcontext.rules.refusals import refuses


class _SequenceRatio(ProbeKind):
    name = "sequence-ratio"
    precedence = 70

    def needs_judge(self, expected: Expected) -> bool:
        return False

    def needs(self, question: str, expected: Expected) -> Needs:
        """A whole text is its own evidence; what it has of facts says nothing."""
        return Needs(())

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        prefix, answer = expected.prefix or "", expected.answer or ""
        wrong: Category = "REFUSED" if refuses(response) else "HALLUCINATED"
        if not response.startswith(prefix):
            return measured(0.0, f"It does not begin with {prefix!r}, as was asked.", wrong=wrong)
        ratio = sequence_ratio(response.removeprefix(prefix), answer.removeprefix(prefix))
        return measured(ratio, f"The sequences of letters agree to {100 * ratio:.1f} %.", wrong=wrong)


KIND = _SequenceRatio()


def sequence_ratio(response: str, answer: str) -> float:
    """Twice the letters in matching blocks by the letters of both texts, in [0, 1]; 1 of two empty texts.

    Source:
        The grading of OpenAI's MRCR: ``SequenceMatcher.ratio`` of Python's difflib, after the required
        prefix was taken off both.
    """
    return SequenceMatcher(None, response, answer).ratio()
