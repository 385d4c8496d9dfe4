"""Clock times: 14:30, 2.30 pm, half past two, noon."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Sequence
from functools import lru_cache

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

_WAYS = tuple(
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
    for way in _WAYS:
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
