"""Dates, in whatever way they are written: days, months with their year, weekdays."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field
from functools import lru_cache

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_M = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_W = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\b\.?"
_ORDINALS_TEXT = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first "
    "twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh "
    "twenty-eighth twenty-ninth thirtieth thirty-first"
)
_ORDINALS = _ORDINALS_TEXT.split()
_O = "|".join(sorted(_ORDINALS, key=len, reverse=True))
_D = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?![\w%]|[:.,]\d)"
_Y = r"(?:1[5-9]|20|21)\d\d(?!\w|[.,]\d)"
_AND = r"(?:\s?(?:-|–|—|,|/|&)\s?|\s(?:to|until|till|through|and|or)\s(?:the\s)?)"
_FRONT = rf"(?<![\w.,/-])(?:(?P<w>{_W}),?\s(?:the\s)?)?"
_LOUD_MONTH = (
    r"(?:January|February|March|April|June|July|August|September|October|November|December|"
    r"Jan|Feb|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b"
)

# One way of writing a line, in the order in which they are tried; what one has taken, no later one reads.
_WAYS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        # 2026-06-12, 2026/06/12
        r"(?<![\w./-])(?P<y>(?:1[5-9]|20|21)\d\d)(?P<s>[-/])(?P<m>0[1-9]|1[0-2])(?P=s)(?P<d>0[1-9]|[12]\d|3[01])(?!\d|[-/]\d)",
        # 12/06/2026, 12.6.26: day and month in either order
        r"(?<![\w.,/-])(?P<a>\d{1,2})(?P<s>[./-])(?P<b>\d{1,2})(?P=s)(?P<y>\d{4}|\d\d)(?![\w/-]|[.,]\d)",
        # Friday, the 12th of June 2026; 12-14 June
        rf"{_FRONT}(?P<d>{_D})(?P<more>(?:{_AND}{_D}){{0,3}})\s?(?:of\s)?(?P<m>{_M})(?:,?\s(?P<y>{_Y}))?",
        # Fri, June 12th, 2026; June 12 to 14
        rf"{_FRONT}(?P<m>{_M})\s(?:the\s)?(?P<d>{_D})(?P<more>(?:{_AND}{_D}(?!\s?(?:of\s)?{_M})){{0,3}})"
        rf"(?:,?\s(?:of\s)?(?P<y>{_Y}))?",
        # the third of March 2027, the last day of April
        rf"{_FRONT}(?P<d>(?:{_O}|last\sday|end))\s(?:of\s)?(?P<m>{_M})(?:,?\s(?P<y>{_Y}))?",
        # 03/2026
        rf"(?<![\w.,/-])(?P<m>0[1-9]|1[0-2])/(?P<y>{_Y})",
        # June 2026
        rf"(?<![\w-])(?P<m>{_M})(?:,|\sof)?\s(?P<y>{_Y})",
        # Friday the 12th
        rf"(?<![\w-])(?P<w>{_W}),?\s(?:the\s)?(?P<d>(?:[12]?\d|3[01])(?:st|nd|rd|th))\b",
        # Friday; Mon and Sat only with a capital, and Sun and Sat not at all, as they are words
        r"(?<![\w-])(?P<w>(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?-i:Mon|Tues?|Wed|Thu(?:rs?)?|Fri))\b",
        # the 12th, at the end of what it belongs to: not the 12th floor
        r"(?<=\bthe\s)(?P<d>(?:[12]?\d|3[01])(?:st|nd|rd|th))"
        r"(?=\s*(?:$|[.,;:!?)*\n–—]|(?:at|and|to|instead|for|not|because|or|if|as|of\sth)\b))",
        # June; May only where it is plainly no verb
        rf"(?:(?<![\w-])|(?<=\bmid-))(?P<m>(?-i:{_LOUD_MONTH}))(?!\s(?-i:[A-Z])[a-z])(?:\s['’](?P<y>\d\d)(?!\w))?",
        r"(?:(?<=\bin\s)|(?<=\bof\s)|(?<=\bby\s)|(?<=\bsince\s)|(?<=\buntil\s)|(?<=\blate\s)|(?<=\bearly\s)|(?<=\bfrom\s)|(?<=\bmid-)|(?<=[(\"'‘])|^)"
        r"(?P<m>(?-i:May))\b",
    )
)


@dataclass(frozen=True)
class Day:
    """One reading of a date; what is not said is None.

    Attributes:
        year: With four digits.
        month: From 1.
        day: Of the month, from 1.
        weekday: From 0, Monday; known of a full date without being said.
        is_weekday_said: Whether it is said.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    is_weekday_said: bool = field(default=False, compare=False)

    def conflicts(self, other: Day) -> bool:
        """Whether both say something that cannot hold of one date."""
        pairs = zip(astuple(self)[:4], astuple(other)[:4], strict=True)
        return any(a is not None and b is not None and a != b for a, b in pairs)

    def is_told_by(self, other: Day) -> bool:
        """Whether another reading is enough to tell this date, and says nothing else.

        A weekday is enough where this date has one too; else the day and month are, without the year; the
        month where there is no day.
        """
        if self.conflicts(other):
            return False
        if self.is_weekday_said and other.weekday is not None:
            return True
        names = (
            ("day", "month")
            if self.day is not None
            else ("month",)
            if self.month is not None
            else ("weekday",)
        )
        return all(getattr(self, name) is None or getattr(other, name) is not None for name in names)


@lru_cache(maxsize=8192)
def dates_in(text: str) -> tuple[tuple[int, int, tuple[Day, ...]], ...]:
    """First character, end and readings of the dates of a text, in order."""
    dates: list[tuple[int, int, tuple[Day, ...]]] = []
    spans: list[tuple[int, int]] = []
    for way in _WAYS:
        for match in way.finditer(text):
            if not any(a < match.end() and match.start() < b for a, b in spans):
                spans.append(match.span())
                dates += [date for date in _of_match(match) if date[2]]
    return tuple(sorted(dates))


def _of_match(match: re.Match[str]) -> Iterator[tuple[int, int, tuple[Day, ...]]]:
    part = match.groupdict()
    year = _year(part.get("y"))
    if part.get("a"):
        a, b = int(part["a"]), int(part["b"])
        options = [_day(year, month, day) for day, month in dict.fromkeys(((a, b), (b, a)))]
        yield match.start(), match.end(), tuple(option for option in options if option is not None)
        return
    weekday = _index(_WEEKDAYS, part.get("w"))
    month = int(part["m"]) if (part.get("m") or "").isdigit() else _index(_MONTHS, part.get("m"), 1)
    days = [(match.start(), match.end(), part.get("d"))]
    if part.get("more"):
        begin = match.start("more")
        others = [
            (begin + m.start(), begin + m.end(), m[0])
            for m in re.finditer(r"\d+(?:[a-z]{2})?", part["more"], re.I)
        ]
        days = [(match.start(), match.end("d"), part["d"]), *others]
        last = others.pop()
        days[-1] = (last[0], max(last[1], match.end()), last[2])
    for at, (start, end, number) in enumerate(days):
        day = _day(year, month, _number(number, month, year), None if at else weekday)
        if day is not None:
            yield start, end, (day,)


def _number(written: str | None, month: int | None, year: int | None) -> int | None:
    if not written:
        return None
    if written.lower() in _ORDINALS:
        return _ORDINALS.index(written.lower()) + 1
    if written.lower().startswith(("last", "end")):
        return calendar.monthrange(year or 2023, month or 1)[1]
    return int(re.sub(r"\D", "", written))


def _day(year: int | None, month: int | None, day: int | None, weekday: int | None = None) -> Day | None:
    """A date, also one that no calendar has, such as 31 February; None of the month 13 and the day 32."""
    if month is not None and not 1 <= month <= 12:
        return None
    if day is not None and not 1 <= day <= 31:
        return None
    is_said = weekday is not None
    if day is not None and month is not None and year and weekday is None:
        exists = day <= calendar.monthrange(year, month)[1]
        weekday = calendar.weekday(year, month, day) if exists else None
    return Day(year, month, day, weekday, is_said)


def _year(text: str | None) -> int | None:
    if not text:
        return None
    return (int(text) or None) if len(text) == 4 else 2000 + int(text)


def _index(names: Sequence[str], word: str | None, first: int = 0) -> int | None:
    return names.index(word[:3].lower()) + first if word else None
