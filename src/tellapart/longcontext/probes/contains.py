"""Probes whose answer must stand in the response as it is written."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Category, Grade
from tellapart.longcontext.probes.kind import ProbeKind
from tellapart.longcontext.rules.refusals import refuses


class _Contains(ProbeKind):
    name = "contains"
    precedence = 74

    def decidable(self, question: str, expected: Expected) -> bool:
        """Words and strings are compared."""
        return True

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        """CORRECT where the response contains one of the right answers, capitals and small letters apart.

        Source:
            The metric ``contains`` of NoLiMa (Modarressi et al., 2025).
        """
        stated = next((answer for answer in expected.answers if answer in response), None)
        if stated is not None:
            return Grade("CORRECT", f"It contains {stated!r}.", stated)
        category: Category = "REFUSED" if refuses(response) else "HALLUCINATED"
        return Grade(category, "It contains none of the right answers.")


KIND = _Contains()
