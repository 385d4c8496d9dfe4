"""Dates and clock times, in whatever way they are written: days, months, weekdays, half past two, noon."""

from __future__ import annotations

import calendar
import re
import tomllib
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

_DATA: dict[str, Any] = tomllib.loads(files(__package__).joinpath("moments.toml").read_text("utf-8"))
_MONTHS: list[str] = _DATA["months"]
_WEEKDAYS: list[str] = _DATA["weekdays"]
_MINUTES: dict[str, int] = _DATA["minutes"]
_ORDINALS: list[str] = _DATA["ordinals"].split()
_SPELLED: list[str] = _DATA["spelled"].split()
_HOURS = _SPELLED[:12]


def _ways(kind: str) -> tuple[re.Pattern[str], ...]:
    """The ways in which a kind is written, in their order, with their parts filled in."""
    parts = _DATA["parts"] | {
        "ordinal": "|".join(sorted(_ORDINALS, key=len, reverse=True)),
        **{"minutes": "|".join(_MINUTES), "spelled": "|".join(_SPELLED), "hours": "|".join(_HOURS)},
    }

    def filled(way: str) -> str:
        return re.sub(r"\{([A-Za-z]+)\}", lambda match: filled(parts[match[1]]), way)

    return tuple(re.compile(filled(way), re.I) for way in _DATA[kind])


_DATE_WAYS, _TIME_WAYS = _ways("dates"), _ways("times")


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

        A weekday is enough where this date has one too; else day and month, or the month where no day is.
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
