"""Probes with two options, of which one is that the thing was not mentioned, and right."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.probes.abstention import Abstention

_RIGHT = re.compile(r"\(([ab])\)\s*not mentioned", re.I)
_SAYS_SO = ("no information available", "not mentioned")


class _NotMentioned(Abstention):
    name = "not-mentioned"
    precedence = 51

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        """CORRECT where the response is the letter of that option or says the same; else HALLUCINATED.

        Source:
            The evaluation that LoCoMo was published with: a response of one letter, or of one in brackets, is
            its option, ``b`` where it is not ``a``; any other is right if it has one of two phrases.
        """
        option = _RIGHT.search(question)
        reply = response.strip().lower()
        if option and len(reply) in (1, 3):
            chosen = "a" if ("a" if len(reply) == 1 else "(a)") in reply else "b"
            right = chosen == option[1].lower()
        else:
            right = any(phrase in reply for phrase in _SAYS_SO)
        if right:
            return Grade("CORRECT", "It chooses that this was not mentioned.")
        return Grade("HALLUCINATED", "It does not choose that this was not mentioned.")


KIND = _NotMentioned()
