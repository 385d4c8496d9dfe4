"""Dates and clock times, in whatever way they are written: days, months, weekdays, half past two, noon."""

from __future__ import annotations

import calendar
import re
from bisect import bisect_left, insort
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
_DATE_WAYS = tuple(
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
    """One reading of a date; what is not said is None."""

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
    for way in _DATE_WAYS:
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


_HOURS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_MINUTES = {
    "five": 5,
    "ten": 10,
    "quarter": 15,
    "twenty": 20,
    "twenty-five": 25,
    "twenty five": 25,
    "half": 30,
}
_SPELLED_TEXT = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_SPELLED = _SPELLED_TEXT.split()
_H = rf"(?:{'|'.join(_HOURS)}|1[0-2]|[1-9])"
# What tells morning from evening.
_HALF = r"(?:[ap]\.?\s?m\b\.?|in\sthe\s(?:early\s|late\s)?(?:morning|afternoon|evening)|at\snight|tonight)"

_TIME_WAYS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        # half past two, a quarter to nine in the evening
        rf"\b(?P<minutes>(?:a\s)?(?:{'|'.join(_MINUTES)}|[1-5]?\d\sminutes|(?:{'|'.join(_SPELLED)})\sminutes|1[3-9]|[2-5]\d))\s(?P<side>past|to|after|before)\s(?P<h>{_H})\b"
        rf"(?:\s(?P<half>{_HALF}))?(?!\s?(?:weeks?|days?|months?|years?|%|[-–]))",
        rf"(?<![\w.,:/])(?P<h>[01]?\d|2[0-4])(?P<s>[:h])(?P<min>[0-5]\d)(?::[0-5]\d)?(?![\w:]|[.,]\d)\s?(?P<half>{_HALF})?",
        rf"(?<![\w.,:/-])(?P<h>1[0-2]|0?\d)\.(?P<min>[0-5]\d)\s?(?P<half>{_HALF})",
        # 2 pm, two in the afternoon, five o'clock; "half two" is half past one, or past two
        rf"(?<![\w.,:/])(?<!\bhalf\s)(?P<h>{_H})(?:\s?o['’]?clock)?\s?(?P<half>{_HALF})",
        rf"(?<![\w.,:/-])(?P<h>{_H})\s?o['’]?clock\b",
        # four-fifteen, nine thirty
        rf"\b(?P<h>{'|'.join(_HOURS)})[\s-](?P<spelled>ten|fifteen|twenty|twenty-five|thirty|thirty-five|forty|forty-five|fifty|fifty-five)\b"
        rf"(?:\s?(?P<half>{_HALF}))?(?![\s-]?(?:[a-z]*(?:euros?|dollars?|pounds?|percent|hundred|thousand|million|people|years?|days?|weeks?|months?)\b|[-–\d]))",
        r"\b(?P<word>noon|midday|midnight)\b",
        # 1430 hours
        r"(?<![\w.,:/-])(?P<h>[01]\d|2[0-3])(?P<min>[0-5]\d)\s?(?:h|hrs|hours)\b(?!\s(?:of|a|per))",
        # at 5: only where nothing that it could count follows
        rf"(?:(?<=\bat\s)|(?<=\bby\s)|(?<=\buntil\s)|(?<=\btill\s))(?P<h>{_H})"
        r"(?=\s*(?:$|[.!?;)*\n](?!\d)|,\s|(?:on|sharp|every|from|in\sthe|this|tomorrow|today|and(?!\sa\s)|or|but)\b))",
    )
)


@lru_cache(maxsize=8192)
def times_in(text: str) -> tuple[tuple[int, int, str], ...]:
    """First character, end and minutes of the day of each time, in order; ``150|870`` where it is open."""
    times: list[tuple[int, int, str]] = []
    for way in _TIME_WAYS:
        for match in way.finditer(text):
            if _overlaps(match.start(), match.end(), times):
                continue
            if minutes := _minutes(match):
                insort(times, (match.start(), match.start() + len(match[0].rstrip()), minutes))
    return tuple(times)


def _overlaps(start: int, end: int, times: Sequence[tuple[int, int, str]]) -> bool:
    """Whether a place has something of the times, which are in order and do not overlap."""
    before = bisect_left(times, (end,)) - 1
    return before >= 0 and start < times[before][1]


def _minutes(match: re.Match[str]) -> str:
    part = match.groupdict()
    if part.get("word"):
        return "0" if part["word"].lower() == "midnight" else "720"
    if side := part.get("side"):
        word = re.sub(r"^a\s|\sminutes$", "", part["minutes"].lower())
        off = _MINUTES.get(word) or (_SPELLED.index(word) + 1 if word in _SPELLED else int(word))
        return _read(part["h"], off if side.lower() in ("past", "after") else -off, part.get("half"))
    if spelled := part.get("spelled"):
        tens = {"thirty": 30, "forty": 40, "fifty": 50, **_MINUTES, "fifteen": 15}
        head, _, tail = spelled.lower().partition("-")
        return _read(part["h"], tens[head] + (5 if tail else 0), part.get("half"))
    return _read(part["h"], int(part.get("min") or 0), part.get("half"))


def _read(hour: str, minutes: int, half: str | None) -> str:
    """Minutes of the day; of both halves where nothing tells which and the hour has no leading zero."""
    h = _HOURS.index(hour.lower()) + 1 if hour.isalpha() else int(hour)
    if half:
        word = half.lower()
        late = word.startswith("p") or "afternoon" in word or "evening" in word or ("night" in word and h > 4)
        late = late and not (h == 12 and "night" in word)
        options = [h % 12 + 12 if late else h % 12] if h <= 12 else [h]
    elif h > 12 or hour.startswith("0") or h == 0:
        options = [h]
    else:
        options = [h % 12, h % 12 + 12]
    return "|".join(str((60 * option + minutes) % 1440) for option in options)
