"""Probes for something that was said and later corrected: what was said last is right."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade, not_graded
from tellapart.longcontext.probes.kind import JudgePrompt, ProbeKind, answer_of
from tellapart.longcontext.probes.match import strings_of
from tellapart.longcontext.rules.manner import asserted, denies
from tellapart.longcontext.rules.refusals import refuses
from tellapart.longcontext.values.numerals import numerals


class _Updated(ProbeKind):
    name = "updated"
    precedence = 90
    failure_mode = "knowledge update"
    judge = JudgePrompt(
        "judge",
        ("CORRECT", "PARTIAL", "HALLUCINATED", "CONFUSED", "REFUSED"),
        lambda expected: {"expected": _with_old(expected)},
    )

    def decidable(self, question: str, expected: Expected) -> bool:
        """Words and strings are compared."""
        return True

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        return grade_updated(question, response, answer_of(expected), strings_of(expected.early or ""))


KIND = _Updated()


def _with_old(expected: Expected) -> str:
    new = answer_of(expected) or "(none)"
    return f"{new} (this corrects {expected.early}, which is CONFUSED)" if expected.early else new


def _pattern(value: str) -> re.Pattern[str]:
    """A value as a whole: 80 is not in 80.5, 1,080, 80 % or -80."""
    number = value.strip()[:1].isdigit() and value.strip()[-1:].isdigit()
    before, after = (r"(?<![\w.,-])", r"(?![\w%]|[.,]\d|\s%)") if number else (r"(?<!\w)", r"(?!\w)")
    return re.compile(f"{before}{re.escape(value)}{after}", re.I)


def _has_rivals(text: str, question: str, new: str) -> bool:
    """Whether a text has, beside a new number, one that the question does not have."""
    if not _pattern(new).search(text) or not new.strip()[:1].isdigit():
        return False
    known = {number.amount.written for number in (*numerals(question), *numerals(new))}
    return any(number.amount.written not in known for number in numerals(text))


def grade_updated(question: str, response: str, new: str, old: Sequence[str]) -> Grade:
    """Grade by which value a response states, what was said last or what that replaced.

    The last one alone is CORRECT, an old one alone CONFUSED; of both, code can tell only where the response
    sets one of them aside.
    Without either it is REFUSED where it says that it does not know or says nothing, else HALLUCINATED.
    """
    values = {value: _pattern(value) for value in (new, *old)}
    starts = [match.start() for pattern in values.values() for match in pattern.finditer(response)]
    text = asserted(response, question, lambda a, b: any(a <= start < b for start in starts))
    stated = [value for value, pattern in values.items() if pattern.search(text)]
    if starts and not stated:
        return not_graded("it sets aside all that it states")
    if not stated:
        if refuses(response) or not response.strip():
            return Grade("REFUSED", "It says that it does not know.")
        return Grade("HALLUCINATED", "It states neither what was said last nor what was said before.", new)
    if stated == [new] and (denies(text, question) or _has_rivals(text, question, new)):
        return not_graded("it states another value, or sets aside what was said last")
    if stated == [new]:
        return Grade("CORRECT", "It states what was said last.", new)
    if new in stated:
        return not_graded("it states what was said last and what was said before")
    return Grade("CONFUSED", "It states what was corrected later.", stated[0])
