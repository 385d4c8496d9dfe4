"""Grades of counts, and of what was corrected: the total that a response gives, or which value it states."""

from __future__ import annotations

import re

from tellapart.longcontext.grades import Answered, Grade, not_graded
from tellapart.longcontext.probes.strings import strings_of, wrong_of
from tellapart.longcontext.rules.manner import asserted, comparator, denies, leaves_open
from tellapart.longcontext.values import values_in
from tellapart.longcontext.values.numerals import Numeral, numerals

_MARK = re.compile(r"^[ \t]*(?:\d+[.)]|#\d+)\s", re.M)
_TOTAL_BEFORE = re.compile(
    r"(?:\btotals?(?:\s+of)?|\baltogether|\bin all|\boverall|\b(?:so|therefore|thus|hence)|\banswer|=)"
    r"[\s:,*]*(?:(?:is|are|was|were|it|that|makes|there|comes|to)[\s:,*]+){0,4}$",
    re.I,
)
_TOTAL_AFTER = re.compile(r"[\s*]*(?:\w+\s+)?(?:in total|in all|altogether|overall)\b", re.I)
_REACH = 60


def count_of(text: str, question: str = "") -> int | None:
    """The whole number that a text gives as a count, in digits or in words; None without any.

    Of several numbers the one that is said to be the total, the last such; else the first. Marks of a list
    and numbers of the question are none, and ``one`` is none beside another number.
    """
    in_question = {number.amount.written for number in numerals(question)}
    plain = _without_marks(text)
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


def grade_count(answered: Answered) -> Grade:
    """Grade by the number that a response gives as the count, see ``count_of``."""
    question, response = answered.question, answered.response
    right, given = count_of(answered.key.answer or ""), count_of(response, question)
    if given is None:
        wrong = wrong_of(response)
        return Grade(wrong, "It says that it does not know." if wrong == "REFUSED" else "It gives no number.")
    counts = [v for v in values_in(response) if v.kind == "number" and v.amount.written == given]
    bounded = any(comparator(response, value) for value in counts)
    if bounded or leaves_open(response, question) or _has_other(response, question, given):
        return not_graded("it gives a bound, or several counts, or sets one aside")
    if given == right:
        return Grade("CORRECT", f"It counts {given}.", str(given))
    return Grade("HALLUCINATED", f"It counts {given}, and there are {right}.", str(given))


def _without_marks(text: str) -> str:
    return _MARK.sub(lambda mark: " " * len(mark[0]), text)


def _has_other(response: str, question: str, given: int) -> bool:
    """Whether other numbers than the count are neither its parts nor numbers of the question."""
    plain = _without_marks(response)
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


def grade_updated(given: Answered) -> Grade:
    """Grade by which value a response states, what was said last or what that replaced.

    The last one alone is CORRECT, an old one alone CONFUSED; of both, code can tell only where the response
    sets one of them aside. Without either it is REFUSED or HALLUCINATED.
    """
    question, response, new = given.question, given.response, (given.key.answer or "").strip()
    values = {value: _pattern(value) for value in (new, *strings_of(given.key.early))}
    starts = [match.start() for pattern in values.values() for match in pattern.finditer(response)]
    text = asserted(response, question, lambda a, b: any(a <= start < b for start in starts))
    stated = [value for value, pattern in values.items() if pattern.search(text)]
    if starts and not stated:
        return not_graded("it sets aside all that it states")
    if not stated:
        if (wrong := wrong_of(response)) == "REFUSED":
            return Grade(wrong, "It says that it does not know.")
        return Grade(wrong, "It states neither what was said last nor what was said before.", new)
    if new not in stated:
        return Grade("CONFUSED", "It states what was corrected later.", stated[0])
    if len(stated) > 1:
        return not_graded("it states what was said last and what was said before")
    if denies(text, question) or _has_another_number(text, question, new):
        return not_graded("it states another value, or sets aside what was said last")
    return Grade("CORRECT", "It states what was said last.", new)


def _pattern(value: str) -> re.Pattern[str]:
    """A value as a whole: 80 is not in 80.5, 1,080, 80 % or -80."""
    number = value.strip()[:1].isdigit() and value.strip()[-1:].isdigit()
    before, after = (r"(?<![\w.,-])", r"(?![\w%]|[.,]\d|\s%)") if number else (r"(?<!\w)", r"(?!\w)")
    return re.compile(f"{before}{re.escape(value)}{after}", re.I)


def _has_another_number(text: str, question: str, new: str) -> bool:
    """Whether a text has, beside a new number, one that the question does not have."""
    if not new.strip()[:1].isdigit():
        return False
    known = {number.amount.written for number in (*numerals(question), *numerals(new))}
    return any(number.amount.written not in known for number in numerals(text))
