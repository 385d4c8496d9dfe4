"""Probes about things that were never said: right is to say so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade, not_graded
from tellapart.longcontext.probes.kind import JudgePrompt, ProbeKind
from tellapart.longcontext.probes.needs import Needs
from tellapart.longcontext.rules.refusals import refuses
from tellapart.longcontext.values import values_in
from tellapart.longcontext.values.names import has_name, names_in


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

    def decidable(self, question: str, expected: Expected) -> bool:
        """Code looks for whole phrases of refusal."""
        return True

    def needs(self, question: str, expected: Expected) -> Needs:
        """What was never said stands nowhere."""
        return Needs(())

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        """See ``grade_abstention``."""
        return grade_abstention(question, response, material)


KIND = Abstention()

_GUESS = re.compile(r"\b(?:guess|probably|perhaps|maybe|likely|might|assume|presumably|estimate)\b", re.I)


_DENIES = re.compile(r"\b(?:not|no|none|nothing|never|nowhere|neither|nor|cannot)\b|n['’]t\b", re.I)


def grade_abstention(question: str, response: str, material: Sequence[str]) -> Grade:
    """CORRECT where a response only says that this was not said, HALLUCINATED where it answers.

    With a value or a guess beside the refusal code cannot tell which of both it is.
    """
    if not response.strip():
        return Grade("REFUSED", "It says nothing.")
    given = {value.normal for value in values_in(question)}
    values = [v.text for v in values_in(response) if v.normal not in given and not v.is_small_word]
    if refuses(response):
        if values or _GUESS.search(response):
            return not_graded("it says that this was not said, and more")
        return Grade("CORRECT", "It says that this was not said.")
    shown = "\n".join(material)
    names = [name for _, name in names_in(response) if has_name(shown, name) and not has_name(question, name)]
    if _DENIES.search(response):
        return not_graded("it may say in words that code does not read that this was not said")
    if values or names:
        what = (values + names)[0]
        return Grade("HALLUCINATED", "It answers a question about something that was never said.", what)
    return not_graded("it neither answers nor says in words that code reads that this was not said")
