"""What texts state that can be compared: numbers, dates, clock times and verbatim tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from tellapart.longcontext.values.entries import has_name, names_in
from tellapart.longcontext.values.moments import Day, dates_in, times_in
from tellapart.longcontext.values.numerals import MONEY, TIMES, Amount, numerals
from tellapart.longcontext.values.text import words_of
from tellapart.longcontext.values.tokens import in_any_case, normal_token, shape_of, token_spans, tokens_in

Kind = Literal["number", "date", "time", "token", "letter", "name"]
Agreement = Literal["same", "other", "unclear"]
"""``unclear``: the one says less than the other, or only roughly the same."""


@dataclass(frozen=True)
class Value:
    """One value of a text, which begins at ``start``, and as ``normal`` what is compared.

    That is an amount, the readings of a date, the minutes of the day that a time may mean, the normal form of
    a token, or the words of a name.
    """

    kind: Kind
    text: str
    start: int
    normal: Amount | tuple[Day, ...] | frozenset[int] | str

    @property
    def end(self) -> int:
        """After its last character."""
        return self.start + len(self.text)

    @property
    def amount(self) -> Amount:
        """Of a number."""
        assert isinstance(self.normal, Amount)
        return self.normal

    @property
    def days(self) -> tuple[Day, ...]:
        """The readings of a date."""
        assert isinstance(self.normal, tuple)
        return self.normal

    @property
    def is_small_word(self) -> bool:
        """Whether it is a number such as ``one`` or ``two`` in words, which stand in any text."""
        return (
            self.kind == "number"
            and self.text[:1].isalpha()
            and not self.amount.unit
            and self.amount.value <= 12
        )


@lru_cache(maxsize=8192)
def values_in(text: str) -> tuple[Value, ...]:
    """The values of a text without its names, as often as they stand there, in order."""
    tokens = [(start, end) for start, end in tokens_in(text)]
    dates = [
        date for date in dates_in(text) if not _inside(date[0], tokens) or _is_date_alone(text, date, tokens)
    ]
    tokens = [span for span in tokens if not any(a < span[1] and span[0] < b for a, b, _ in dates)]
    taken = [*tokens, *((a, b) for a, b, _ in dates)]
    times = [time for time in times_in(text) if not _inside(time[0], taken)]
    taken = [*taken, *((a, b) for a, b, _ in times)]
    values = [Value("token", text[a:b], a, normal_token(text[a:b])) for a, b in tokens]
    values += [Value("date", text[a:b], a, days) for a, b, days in dates]
    values += [
        Value("time", text[a:b], a, frozenset(map(int, minutes.split("|")))) for a, b, minutes in times
    ]
    values += [
        Value("number", text[n.start : n.end], n.start, n.amount)
        for n in numerals(text)
        if not _inside(n.start, taken) and not _is_mark(text, n.start, n.end)
    ]
    return tuple(sorted(values, key=lambda value: value.start))


def _is_date_alone(
    text: str, date: tuple[int, int, tuple[Day, ...]], tokens: Sequence[tuple[int, int]]
) -> bool:
    """Whether what looks like a token is a date and nothing more."""
    return (date[0], date[1]) in tokens and re.search(r"[A-Za-z]", text[date[0] : date[1]]) is None


def _inside(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(a <= at < b for a, b in spans)


def _is_mark(text: str, start: int, end: int) -> bool:
    """Whether a number marks a line of a list: ``2. Berlin``."""
    line = text.rfind("\n", 0, start) + 1
    if text[line:start].strip(" *#-|(") or not text[start:end].strip().isdigit():
        return False
    return text[end : end + 2] in (". ", ") ", ".*") and bool(text[end + 2 :].strip())


_LETTER = re.compile(
    r"(?<![\w'’./°-])(?<![A-Z]\.\s)[(\[\"“*_]{0,4}([A-Z])"
    r"[)\]\"”*_]{0,4}(?![\w'’/-]|\.[A-Za-z]|\.\s[A-Z]\.|\s?[&=<>#+])"
)
_ONLY_LETTER = re.compile(r"\W*(?<!-)([A-Za-z])(?![#+])\W*")
_ARTICLE = re.compile(r"(?:(?<![\w(\[:=]\s)(?<![(\[:=\"“*_])A|I)(?=\s)")


def as_letters(text: str) -> tuple[Value, ...]:
    """The option letters of a text: one alone, or capitals; not ``A`` that begins a sentence, nor ``I``."""
    if alone := _ONLY_LETTER.fullmatch(text):
        return (Value("letter", alone[1], alone.start(1), alone[1].upper()),)
    return tuple(
        Value("letter", match[1], match.start(1), match[1])
        for match in _LETTER.finditer(text)
        if not _ARTICLE.match(text, match.start(1))
    )


@lru_cache(maxsize=8192)
def facts_of(text: str) -> tuple[Value, ...]:
    """All values of a text and its names, each once, in order."""
    spans = [(value.start, value.end) for value in values_in(text)]
    names = (Value("name", name, at, words_of(name)) for at, name in names_in(text) if not _inside(at, spans))
    once: dict[tuple[Kind, object], Value] = {}
    for value in sorted([*values_in(text), *names], key=lambda value: value.start):
        once.setdefault((value.kind, value.normal), value)
    return tuple(once.values())


def states(text: str, value: Value) -> bool:
    """Whether a text has a value as a whole: 342 is not in 1,342, 342.5 or 342 %, nor 12 in June 12."""
    if value.kind == "name":
        return has_name(text, value.text)
    if value.kind == "letter":
        return any(agreement(value, given) == "same" for given in as_letters(text))
    if value.kind == "token" and token_spans(text, str(value.normal)):
        return True
    return any(_is_same(value, given) for given in _once(text))


@lru_cache(maxsize=8192)
def _once(text: str) -> tuple[Value, ...]:
    """The values of a text, each once in each way of writing it."""
    return tuple({(value.text, value.normal): value for value in values_in(text)}.values())


def _is_same(wanted: Value, given: Value) -> bool:
    if wanted.kind == given.kind == "number" and "h" not in given.text:
        return _amounts(wanted.amount, given.amount) == "same"
    return agreement(wanted, given) == "same"


def agreement(wanted: Value, given: Value) -> Agreement | None:
    """How a given value relates to a wanted one; None where it does not answer the same question."""
    given = as_kind(wanted, given)
    if wanted.kind != given.kind:
        return None
    if wanted.kind == "number":
        how = _amounts(wanted.amount, given.amount)
        return "unclear" if how == "other" and _separated_otherwise(wanted.text, given.text) else how
    if wanted.kind == "date":
        return _days(wanted.days, given.days)
    if wanted.kind == "time":
        how = _minutes(wanted.normal, given.normal)  # type: ignore[arg-type]
        seconds = [re.findall(r":\d\d:(?!00)\d\d", value.text) for value in (wanted, given)]
        return "unclear" if how == "same" and seconds[0] != seconds[1] else how
    if wanted.kind == "letter":
        return "same" if wanted.normal == given.normal else "other"
    return _tokens(str(wanted.normal), str(given.normal))


def _separated_otherwise(wanted: str, given: str) -> bool:
    """Whether one has a decimal point where the other has a comma of thousands: 1.250 and 1,250."""
    numbers = [re.search(r"\d{1,3}[.,]\d{3}(?!\d)", text) for text in (wanted, given)]
    written = {number[0] for number in numbers if number}
    return len(written) == 2 and len({re.sub(r"\D", "", number) for number in written}) == 1


def as_kind(wanted: Value, given: Value) -> Value:
    """A bare number, read as the date, time or token that is wanted where it can be one."""
    text = given.text
    if wanted.kind == "token" and re.fullmatch(r"v?\d+(?:\.\d+)+", text):
        return replace(given, kind="token", normal=normal_token(text))
    if wanted.kind == "number" and (length := re.fullmatch(r"(\d{1,2})h([0-5]\d)", text)):
        seconds = Fraction(3600 * int(length[1]) + 60 * int(length[2]))
        return replace(given, kind="number", normal=Amount(seconds, "s", Fraction(60)))
    if given.kind != "number" or given.amount.unit or given.amount.sign:
        return given
    if wanted.kind == "token" and re.fullmatch(r"[\d.,]+", text):
        return replace(given, kind="token", normal=normal_token(text))
    if wanted.kind == "date":
        year = str(given.amount.value) if text[:1].isalpha() else text
        if re.fullmatch(r"(?:1[5-9]|2[01])\d\d", year):
            return replace(given, kind="date", normal=(Day(year=int(year)),))
        if days := days_of_pair(text):
            return replace(given, kind="date", normal=days)
    if wanted.kind == "time" and (
        clock := re.fullmatch(r"(\d{1,2})(?:[.h]([0-5]\d))?|([01]\d|2[0-3])([0-5]\d)", text)
    ):
        hour, minute = int(clock[1] or clock[3]), int(clock[2] or clock[4] or 0)
        if hour < 24:
            halves = {hour % 12, hour % 12 + 12} if 0 < hour <= 12 and not text.startswith("0") else {hour}
            return replace(given, kind="time", normal=frozenset(60 * h + minute for h in halves))
    return given


def days_of_pair(text: str) -> tuple[Day, ...]:
    """What ``28/6`` and ``6.5`` can be as a day of the year; empty where it is none."""
    pair = re.fullmatch(r"(\d{1,2})[./](\d{1,2})", text)
    a, b = (int(pair[1]), int(pair[2])) if pair else (0, 0)
    return tuple(Day(month=m, day=d) for d, m in sorted({(a, b), (b, a)}) if 1 <= m <= 12 and 1 <= d <= 31)


_CONVERTED = Fraction(15, 1000)
"""By how much an amount in another unit may be off and still be the same one, rounded."""
_SECONDS = {"s": Fraction(1), "month": Fraction(2629800)}


def _amounts(wanted: Amount, given: Amount) -> Agreement | None:
    units = {wanted.unit, given.unit}
    if wanted.unit == given.unit:
        if wanted.value == given.value:
            return "same"
        return _apart(wanted.value, given.value) if wanted.factor != given.factor else "other"
    if "" in units:
        alike = wanted.written == given.written
        if "%" in units and (alike or wanted.value in (100 * given.value, given.value / 100)):
            return "unclear"
        return "same" if alike else "other"
    if "°" in units and units <= {"°", "°C", "°F"}:
        return "same" if wanted.written == given.written else "other"
    if "cent" in units and units & {"$", "€", "C$", "A$"}:
        whole, cents = sorted((wanted.value, given.value))
        return "same" if 100 * whole == cents else "other"
    if units in ({"°C", "°F"}, {"$", "C$"}, {"$", "A$"}, {"%", "point"}):
        return "other" if (wanted.written == given.written) == ("°C" in units) else "unclear"
    if units == set(TIMES):
        return _apart(wanted.value * _SECONDS[wanted.unit], given.value * _SECONDS[given.unit])
    alike = wanted.written == given.written or units <= set(MONEY) or units <= {"B", "bit", "B/s", "bit/s"}
    return "other" if alike else None


def _apart(wanted: Fraction, given: Fraction) -> Agreement:
    return "unclear" if wanted and abs(given - wanted) / wanted <= _CONVERTED else "other"


def _days(wanted: tuple[Day, ...], given: tuple[Day, ...]) -> Agreement:
    pairs = [(a, b) for a in wanted for b in given]
    if any(a.is_told_by(b) for a, b in pairs):
        return "same"
    return "other" if all(a.conflicts(b) for a, b in pairs) else "unclear"


_NOON = 12 * 60
_EARLY = 6 * 60


def _minutes(wanted: frozenset[int], given: frozenset[int]) -> Agreement:
    """Where the half of the day is open the hands decide, and before six it is the afternoon."""
    if not wanted & given:
        return "other"
    if len(wanted) == 2 and len(given) == 1:
        (minute,) = given
        usual = minute < _NOON if min(wanted) >= _EARLY else True
        return "same" if usual else "unclear"
    return "same"


def _tokens(wanted: str, given: str) -> Agreement | None:
    if wanted.casefold() == given.casefold():
        return "same" if wanted == given or in_any_case(wanted) else "unclear"
    shapes, slashed = (shape_of(wanted), shape_of(given)), wanted.replace("\\", "/")
    if shapes == ("phone", "phone"):
        longer, shorter = sorted((number.lstrip("+0") for number in (wanted, given)), key=len, reverse=True)
        return "same" if longer.endswith(shorter) and len(longer) - len(shorter) <= 3 else "other"
    if wanted.startswith((f"{given}.", f"{given}/")):
        return "unclear"
    if shapes[0] == "path" and (slashed.endswith(f"/{given.lstrip('/')}") or given in wanted.split("/")):
        return "unclear"
    if shapes[0] == "identifier" and shapes[1].startswith(("digits", "phone")):
        digits = re.sub(r"\D", "", wanted)
        if given == digits and len(digits) >= 3:
            return "same" if re.fullmatch(r"[A-Za-z]{1,6}\d+", wanted) else "unclear"
        return "other" if len(given) == len(digits) else None
    if shapes[0] != shapes[1] and not all(shape.startswith("digits") for shape in shapes):
        return None
    return "other"
