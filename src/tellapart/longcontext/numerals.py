"""The numbers of a text, in whatever way they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

_UNIT = (
    r"%|percent\b|per\s?cent\b|percentage\s+points?\b|[x×](?![\w])|times\b|fold\b|"
    r"(?:mg|µg|mcg|ng|kg|g|cm|mm|ml|m|bpm|mmhg|ms|sec|min|s|h|hrs?|k|m)(?:/\w+)?\b|"
    r"(?:minute|second|hour|day|week|month|year|meter|metre)s?\b"
)
_ALIKE = {
    "percent": "%",
    "per cent": "%",
    "percentage point": "%",
    "times": "x",
    "fold": "x",
    "×": "x",
    "minute": "min",
    "second": "s",
    "sec": "s",
    "hour": "h",
    "hr": "h",
    "metre": "m",
    "meter": "m",
}
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: n for n, word in enumerate(_SMALL.split())} | {
    word: 20 + 10 * n for n, word in enumerate(_TENS.split())
}
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True)) + "|hundred|thousand"

_THINGS = (
    "stud(?:y|ies)|articles?|papers?|messages?|entr(?:y|ies)|documents?|sections?|chapters?|experiments?|"
    "tables?|figures?|reports?"
)
# "Study 6" and "Table 2" refer to something; their numbers are no facts.
_ENTRY = rf"\b(?:{_THINGS})\s{{0,3}}(?:no\.?\s?|number\s|\#\s?)?(\d{{1,3}})(?![\d.,]*\d|\s?%)"
_REFERENCE = re.compile(
    _ENTRY + r"((?:\s{0,2}(?:-|–|,|,?\s?and|&|to|/)\s{0,2}\d{1,3}(?![\d.,]*\d|\s?%|\s?[a-z]*=)){0,40})", re.I
)
# A number begins neither within a word (rs784), nor behind a decimal separator, nor behind a hyphen of an
# identifier (PDQ-20). It ends where no digit follows, so that 1,342 and 342.5 are never read as 342.
_NUMBER = re.compile(
    rf"""(?<![^\W_])(?<!\d[.,])(?<![A-Z]-)
    (?P<money>[$€£]\s?)?
    (?P<digits>\d{{1,3}}(?:[,\u00a0\u202f\u2009]\d{{3}})+(?!\d)|\d{{1,30}}|(?=\.\d))(?P<part>\.\d{{1,30}})?
    (?P<power>\s?[x×*]\s?10\s?\^?[-−–⁻]?[\d⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}}|e[-−+]?\d{{1,3}}\b)?
    (?!\d|,\d{{3}}(?!\d))
    (?P<unit>[-\s]?(?:{_UNIT}))?
    (?![^\W_]|-(?-i:[A-Z]{{2}}))
    |\b(?P<words>(?:{_WORD})(?:(?:-|\s|\sand\s)(?:{_WORD})){{0,6}})\b(?P<spelled>[-\s]?(?:{_UNIT}))?""",
    re.I | re.X,
)
# Exponents are written both ways: 10^-8 and 10⁻⁸.
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−–", "0123456789---")
# What may stand between two numbers that share the unit of the second: 22.4 to 21.8 %.
_JOIN = re.compile(r" ?(?:%|to|and|or|vs\.?|versus|[-–—−]|through) ?(?:to )?[-−+$]? ?", re.I)


@dataclass(frozen=True)
class Numeral:
    """One number of a text.

    Attributes:
        value: The magnitude in plain digits, without separators, sign and trailing zeros of a fraction.
        unit: ``%``, ``$``, ``x``, ``mg`` …; empty where there is none.
        start: First character in the text.
        end: After its last.
        spelled: Whether it is written in words.
        decimals: Digits after the point, as written.
    """

    value: str
    unit: str
    start: int
    end: int
    spelled: bool = False
    decimals: int = 0


@lru_cache(maxsize=8192)
def numerals(text: str) -> tuple[Numeral, ...]:
    """Find the numbers, in order; ``Study 6`` refers to an entry and is none.

    Signs are left out: a change of -16.4 is a reduction by 16.4. The unit of ``22.4 to 21.8%`` is of both.
    Parts of identifiers, such as the digits of ``PDQ-20`` and ``6q14.1``, are no numbers.
    """
    taken = [(m.start(), m.end() if _several(m) else m.end(1)) for m in _REFERENCE.finditer(text)]
    numbers: list[Numeral] = []
    at = 0
    for match in _NUMBER.finditer(text):
        while at < len(taken) and taken[at][1] <= match.start():
            at += 1
        if at < len(taken) and taken[at][0] <= match.start():
            continue
        if (one := _numeral(match)) is not None:
            numbers.append(one)
    return tuple(_with_units(numbers, text))


@lru_cache(maxsize=8192)
def references(text: str) -> tuple[tuple[int, int], ...]:
    """Where a text refers to an entry by its number, as (number, first character): ``Studies 18-19`` to two.

    A list after a single ``Study 7, 312 of 445`` is no list of studies.
    """
    entries = []
    for match in _REFERENCE.finditer(text):
        entries.append((int(match[1]), match.start()))
        if _several(match):
            entries += [(int(n), match.start()) for n in re.findall(r"\d+", match[2])]
    return tuple(entries)


def _several(reference: re.Match[str]) -> bool:
    """Whether it says ``Studies``, so that a list of numbers may follow."""
    return reference[0][: reference.start(1) - reference.start()].rstrip().lower().endswith("s")


def _numeral(match: re.Match[str]) -> Numeral | None:
    if match["words"]:
        value = _spelled(match["words"])
        if value is None:
            return None
        return Numeral(str(value), _unit(match["spelled"], None), match.start(), match.end(), True)
    digits = re.sub(r"\D", "", match["digits"]) or "0"
    value_ = Decimal(digits + (match["part"] or ""))
    if power := match["power"]:
        exponent = re.sub(r"^\s?[x×*]\s?10\s?\^?|^e", "", power.translate(_SUPERSCRIPT), flags=re.I)
        value_ = value_.scaleb(int(exponent))
    plain = format(value_, "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain.lstrip("0") or "0"
    return Numeral(
        plain,
        _unit(match["unit"], match["money"]),
        match.start(),
        match.end(),
        decimals=max(len(match["part"] or "") - 1, 0),
    )


def _unit(unit: str | None, money: str | None) -> str:
    if money:
        return money.strip()
    if not unit:
        return ""
    word = re.sub(r"\s+", " ", unit.strip(" -\t\n").lower()).split("/")[0]
    word = word if len(word) < 3 else word.rstrip("s")
    return _ALIKE.get(word, _ALIKE.get(word + "s", word))


def _spelled(words: str) -> int | None:
    """The value of a number in words; None of what is no number by itself, such as ``hundred``."""
    total = current = 0
    parts = [part for part in re.split(r"[-\s]+", words.lower()) if part != "and"]
    if parts[0] in ("hundred", "thousand"):
        return None
    for part in parts:
        if part == "hundred":
            current *= 100
        elif part == "thousand":
            total, current = total + current * 1000, 0
        else:
            current += _WORDS[part]
    return total + current


def _with_units(numbers: list[Numeral], text: str) -> list[Numeral]:
    """Give the first of ``22.4 to 21.8%`` the unit of the second."""
    for i in range(len(numbers) - 2, -1, -1):
        one, after = numbers[i], numbers[i + 1]
        if not one.unit and after.unit and after.start - one.end < 12 and not one.spelled:
            between = text[one.end : after.start]
            if _JOIN.fullmatch(between) and not (after.unit == "%" and re.search(r"and|or", between)):
                numbers[i] = Numeral(one.value, after.unit, one.start, one.end, False, one.decimals)
    return numbers
