"""Probes that ask how many there are of something, or how often it happened."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade, not_graded
from tellapart.longcontext.probes.kind import ProbeKind, answer_of
from tellapart.longcontext.probes.needs import Needs
from tellapart.longcontext.rules.manner import leaves_open
from tellapart.longcontext.rules.refusals import refuses
from tellapart.longcontext.values.numerals import Numeral, numerals

_MARK = re.compile(r"^[ \t]*(?:\d+[.)]|#\d+)\s", re.M)
_TOTAL_BEFORE = re.compile(
    r"(?:\btotals?(?:\s+of)?|\baltogether|\bin all|\boverall|\b(?:so|therefore|thus|hence)|\banswer|=)"
    r"[\s:,*]*(?:(?:is|are|was|were|it|that|makes|there|comes|to)[\s:,*]+){0,4}$",
    re.I,
)
_REACH = 60
_TOTAL_AFTER = re.compile(r"[\s*]*(?:\w+\s+)?(?:in total|in all|altogether|overall)\b", re.I)


_BOUND = re.compile(
    r"\b(?:at\s(?:least|most)|(?:more|less|fewer)\sthan|up\sto|over|under|about|around|roughly|approximately|nearly|almost|"
    r"maybe|perhaps|possibly|or|between)\b|[~≈≥≤]",
    re.I,
)


class _Count(ProbeKind):
    name = "count"
    precedence = 100
    failure_mode = "counting"

    def can_grade(self, expected: Expected | None) -> bool:
        return count_of(answer_of(expected)) is not None

    def needs_judge(self, expected: Expected) -> bool:
        return False

    def needs(self, question: str, expected: Expected) -> Needs:
        """None: the number itself stands nowhere; what is to be counted has to be named as evidence."""
        return Needs(())

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        return grade_count(question, response, answer_of(expected))


KIND = _Count()


def count_of(text: str, question: str = "") -> int | None:
    """The whole number that a text gives as a count, in digits or in words; None without any.

    Of several numbers the one that is said to be the total, the last such; else the first. Marks of a list
    and numbers of the question are none, and ``one`` is none beside another number.
    """
    in_question = {number.amount.written for number in numerals(question)}
    plain = _MARK.sub(lambda mark: " " * len(mark[0]), text)
    numbers = [
        number
        for number in numerals(plain)
        if number.amount.written.denominator == 1
        and number.amount.sign != "-"
        and number.amount.written not in in_question
    ]
    numbers = [number for number in numbers if plain[number.start : number.end].lower() != "one"] or numbers
    total = [number for number in numbers if _is_total(plain, number)]
    chosen = total[-1:] or numbers[:1]
    return int(chosen[0].amount.written) if chosen else None


def _has_rivals(response: str, question: str, given: int) -> bool:
    """Whether other numbers than the count are neither its parts nor numbers of the question."""
    plain = _MARK.sub(lambda mark: " " * len(mark[0]), response)
    numbers = numerals(plain)
    if any(_is_total(plain, number) for number in numbers):
        return False
    known = {given, *(number.amount.written for number in numerals(question))}
    others = [number.amount.written for number in numbers if number.amount.written not in known]
    return bool(others) and sum(others) != given


def _is_total(text: str, number: Numeral) -> bool:
    """Whether a number is said to be the total."""
    before = text[max(0, number.start - _REACH) : number.start]
    return bool(_TOTAL_BEFORE.search(before) or _TOTAL_AFTER.match(text, number.end))


def grade_count(question: str, response: str, answer: str) -> Grade:
    """Grade by the number that a response gives as the count, see ``count_of``.

    CORRECT where it is that of the answer; a bound and several counts are not graded. Another is
    HALLUCINATED, however close. None at all is REFUSED
    where the response says that it does not know or says nothing, else HALLUCINATED.
    """
    right, given = count_of(answer), count_of(response, question)
    if right is None:
        raise ValueError(f"the answer {answer!r} has no number")
    if given is None:
        if refuses(response) or not response.strip():
            return Grade("REFUSED", "It says that it does not know.")
        return Grade("HALLUCINATED", "It gives no number.")
    if _BOUND.search(response) or leaves_open(response, question) or _has_rivals(response, question, given):
        return not_graded("it gives a bound, or several counts, or sets one aside")
    if given == right:
        return Grade("CORRECT", f"It counts {given}.", str(given))
    return Grade("HALLUCINATED", f"It counts {given}, and there are {right}.", str(given))
