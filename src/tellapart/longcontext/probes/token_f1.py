"""Probes with a short answer, graded by the words that a response shares with it."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade, measured
from tellapart.longcontext.probes.kind import ProbeKind
from tellapart.longcontext.rules.refusals import refuses
from tellapart.longcontext.rules.token_f1 import token_f1


class TokenF1(ProbeKind):
    """Token F1 of the whole answer."""

    name = "token-f1"
    precedence = 72

    def decidable(self, question: str, expected: Expected) -> bool:
        """Words and strings are compared."""
        return True

    def score(self, response: str, answer: str) -> float:
        """How right a response is, in [0, 1]."""
        return token_f1(response, answer)

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        """The best score over all right answers."""
        score = max(self.score(response, answer) for answer in expected.answers)
        reason = f"Its words are those of the answer with an F1 of {score:.2f}."
        return measured(score, reason, wrong="REFUSED" if refuses(response) else "HALLUCINATED")


KIND = TokenF1()
