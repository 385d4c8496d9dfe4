"""Reading numbers, in whatever way they are written, with their units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from tellapart.longcontext.values.entries import reference_spans
from tellapart.longcontext.values.units import AFTER, BEFORE, MONEY, unit_of

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: n for n, word in enumerate(_SMALL.split())} | {
    word: 20 + 10 * n for n, word in enumerate(_TENS.split())
}
_SCALES = {
    "hundred": 100,
    "thousand": 1000,
    "k": 1000,
    "million": 10**6,
    "mio": 10**6,
    "mn": 10**6,
    "m": 10**6,
    "billion": 10**9,
    "bn": 10**9,
    "b": 10**9,
    "trillion": 10**12,
    "dozen": 12,
}
_SCALE = r"hundred|thousand|million|billion|trillion|dozen"
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_PARTS = {
    "half": Fraction(1, 2),
    "quarter": Fraction(1, 4),
    "third": Fraction(1, 3),
    "three quarters": Fraction(3, 4),
}
_OFTEN = {"once": 1, "twice": 2, "thrice": 3, "double": 2, "triple": 3}
_WITH_SLASH = ("km/h", "m/s", "bit/s", "kbit/s", "mbit/s", "gbit/s")
_VOLUMES = ("l", "dl", "ml")
_WHOLES = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_SIGNS = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4)}
_AND_PART = r"\sand\s(?:an?\s|one\s)?(?P<{}>half|quarter|third|three[\s-]quarters)\b"

# A number begins neither within a word (rs784), nor behind a decimal separator, nor behind a hyphen of an
# identifier (PDQ-20). It ends where no digit follows, so that 1,342 and 342.5 are never read as 342.
_DIGITS = re.compile(
    rf"""(?<![^\W_])(?<!\d[.,])(?<![A-Z]-)
    (?:(?P<money>{BEFORE})\s?(?P<minus>[-−](?=\d))?)?
    (?P<digits>(?<=\s['’])\d\d(?![\w'’])|\d{{1,3}}(?:[,'’\u00a0\u202f\u2009]\d{{3}})+(?!\d)|
        \d{{1,3}}(?:\.\d{{3}})+(?=,\d\d?(?!\d)|\s?(?:€|EUR\b|euros?\b))(?!\d)|
        \d{{1,3}}(?:\ \d{{3}})+(?=\s?(?:{AFTER}))|\d{{1,999}}|(?=\.\d))
    (?P<part>\.\d{{1,999}}|,\d\d?(?!\d)|\s?[½¼¾])?
    (?P<power>(?<=\b10)\^[-−–]?\d{{1,3}}|\s?[x×*]\s?10\s?\^?[-−–⁻]?[\d⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}}|e[-−+]?\d{{1,3}}\b)?
    (?!\d|,\d{{3}}(?!\d))
    (?:{_AND_PART.format("rest")})?
    (?P<scale>\s?(?:(?:{_SCALE})s?|mio|mn|bn|(?-i:[kKM])|(?<=\d)[mb](?!\w))(?![^\W_]))?
    (?P<unit>[-\s]?(?:{AFTER})(?:/(?!\d)\w+)?)?
    (?![^\W_]|-(?-i:[A-Z]{{2}}))""",
    re.I | re.X,
)
# 3/4 hour, 1 1/2 hours: only with a unit, as 3/4 may be a date, a score or two numbers.
_FRACTION = re.compile(
    rf"(?<![\w.,/])(?P<whole>\d{{1,3}}\s)?(?P<over>[1-9])/(?P<under>[2-9])\s?(?:of\s(?:an?|the)\s)?(?P<unit>{AFTER})",
    re.I,
)
_SPELLED = re.compile(
    rf"""\b(?:
(?P<share>(?:an?|one|two|three|four|five|six|seven|nine)[\s-](?:half|halves|thirds?|quarters?|fifths?|sixths?|eighths?|tenths?))
        (?=\s(?:of|is|are|goes|go)\b|(?<!\ba\sthird)\s?[,.;)]|\s*$)(?!\sof\san?\s)
    |(?P<part>half|(?:a\s)?quarter\sof|(?:a\s)?third\sof|three[\s-]quarters\sof)\san?\s(?:metric\s|full\s|whole\s)?(?P<of2>{AFTER})
    |(?P<first>(?:an?|half\san?)(?=\s(?:{_SCALE})\b)|(?:{_WORD}))
    (?P<words>(?:(?:-|\s|(?<=hundred)\sand\s|(?<=thousand)\sand\s|(?<=million)\sand\s)(?:{_WORD}|{_SCALE})){{0,6}})\b
    (?:{_AND_PART.format("rest")}(?P<scale>\s(?:{_SCALE}))?)?
    (?P<unit>[-\s]?(?:{AFTER}))?
    |(?:an?|one)\s(?P<of1>{AFTER}){_AND_PART.format("rest1")}
    |(?:an?|one)\s(?P<of4>hour|minute|day|week|month|year)(?=\s(?:and\s)?(?:\d|(?:{_WORD})\b)[\w-]*\s(?:{AFTER}))
    |(?P<often>once|twice|thrice|(?:double|triple)(?=\sthe\b))
    |(?:(?<=\bfor\s)|(?<=\bin\s)|(?<=\bof\s)|(?<=\btakes\s)|(?<=\btook\s)|(?<=\blasts\s)|(?<=\blasted\s)|(?<=\bwithin\s)|
        (?<=\babout\s)|(?<=\bafter\s)|^)(?:an?|one)\s(?P<of3>second|minute|hour|day|week|fortnight|month|year|decade)\b
    )""",
    re.I | re.X,
)
# Exponents are written both ways: 10^-8 and 10⁻⁸.
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−–", "0123456789---")
# What may stand between two numbers that share the unit of the second: 22.4 to 21.8 %.
_JOIN = re.compile(rf" ?(?:%|to|and|or|vs\.?|versus|[-–—−]|through) ?(?:to )?[-−+]?(?:{BEFORE})? ?", re.I)
# What may stand between the parts of one amount: 1 hour and 30 minutes.
_GOES_ON = re.compile(r",?\s?(?:and\s)?", re.I)


@dataclass(frozen=True)
class Numeral:
    """One number of a text.

    Attributes:
        value: The magnitude in plain digits, without separators and sign, in the unit that is compared: 2500
            of 2.5 km, 1500000 of $1.5M. A fraction such as ``1/3`` where no digits are exact.
        unit: In which it is compared: ``%``, ``$``, ``s``, ``m`` …; empty where there is none.
        start: First character in the text.
        end: After its last.
        spelled: Whether it is written in words.
        factor: How many of the unit that is compared the written one is.
        sign: ``-`` or ``+`` where it is written so; else empty.
    """

    value: str
    unit: str
    start: int
    end: int
    spelled: bool = False
    factor: Fraction = Fraction(1)
    sign: str = ""


@lru_cache(maxsize=8192)
def numerals(text: str) -> tuple[Numeral, ...]:
    """Find the numbers, in order; ``Study 6`` refers to an entry and is none.

    The unit of ``22.4 to 21.8%`` is of both, and ``1 hour 30 minutes`` is one number. Parts of identifiers,
    such as the digits of ``PDQ-20`` and ``6q14.1``, are no numbers.
    """
    taken = reference_spans(text)
    numbers = [_of_digits(match) for match in _DIGITS.finditer(text)]
    numbers += [_of_words(match) for match in _SPELLED.finditer(text)]
    fractions = [_of_fraction(match) for match in _FRACTION.finditer(text)]
    inside = [(fraction.start, fraction.end) for fraction in fractions]
    numbers = [n for n in numbers if not any(a <= n.start < b for a, b in inside)] + fractions
    free, at, end = [], 0, 0
    for numeral in sorted(numbers, key=lambda numeral: (numeral.start, -numeral.end)):
        while at < len(taken) and taken[at][1] <= numeral.start:
            at += 1
        if numeral.start >= end and not (at < len(taken) and taken[at][0] <= numeral.start):
            free.append(numeral)
            end = numeral.end
    amounts = _joined(_with_units(free, text), text)
    return tuple(_signed(n, text) for n in amounts if not _ZERO.search(text[max(0, n.start - 7) : n.end]))


# A sign has no blank behind it and no number before it, or it would be a dash, a bullet or a range.
_MINUS = re.compile(r"(?<![\w.,%°)\]])[-−–]$|[=(:]\s?[-−–]\s?$|\b(?:minus|negative)\s$", re.I)
_PLUS = re.compile(r"(?<![\w.,%°)\]])\+$|\bplus\s$", re.I)
_ZERO = re.compile(r"\b(?:below|above)\szero$", re.I)
_BELOW_ZERO = re.compile(r"(?:\s?degrees)?\sbelow\s(?:zero|freezing)", re.I)


def _signed(numeral: Numeral, text: str) -> Numeral:
    before = text[max(0, numeral.start - 10) : numeral.start]
    inside = re.match(rf"{BEFORE}\s?[-−]", text[numeral.start : numeral.end], re.I)
    if inside or _MINUS.search(before) or _BELOW_ZERO.match(text, numeral.end):
        return replace(numeral, sign="-")
    return replace(numeral, sign="+") if _PLUS.search(before) else numeral


def _of_digits(match: re.Match[str]) -> Numeral:
    digits, part = re.sub(r"\D", "", match["digits"]) or "0", (match["part"] or "").strip()
    if len(digits) == 2 and not part and match["unit"] is None and _is_short_year(match):
        digits = f"20{digits}"
    value = Fraction(digits) + _SIGNS[part] if part in _SIGNS else Fraction(digits + part.replace(",", "."))
    if power := match["power"]:
        if power.startswith("^"):
            value, power = Fraction(1), f"e{power[1:]}"
        exponent = re.sub(r"^\s?[x×*]\s?10\s?\^?|^e", "", power.translate(_SUPERSCRIPT), flags=re.I)
        value *= Fraction(10) ** int(exponent)
    value += _part(match["rest"])
    scale, unit = (match["scale"] or "").strip().lower(), match["unit"]
    if unit == "s" and re.fullmatch(r"(?:1[89]|20)\d0", digits):
        # The 1990s.
        unit = None
    if scale in ("m", "b") and match["scale"].strip() != "M" and not match["money"]:
        scale, unit = "", scale if scale == "m" else None
    return _numeral(value * _scale(scale), match["money"] or unit, match)


def _is_short_year(match: re.Match[str]) -> bool:
    """Whether it is ``'27``; not a number in quotes."""
    start, text = match.start("digits"), match.string
    return start > 1 and text[start - 1] in "'’" and text[start - 2].isspace()


def _of_fraction(match: re.Match[str]) -> Numeral:
    whole = Fraction((match["whole"] or "0").strip())
    return _numeral(whole + Fraction(int(match["over"]), int(match["under"])), match["unit"], match)


def _of_words(match: re.Match[str]) -> Numeral:
    if match["of1"]:
        return _numeral(1 + _part(match["rest1"]), match["of1"], match, spelled=True)
    if match["share"]:
        count, part = re.split(r"[\s-]", match["share"].lower())
        whole = _WHOLES[part.removesuffix("s").replace("halve", "half")]
        return _numeral(
            Fraction(100 * (1 if count == "a" else _WORDS[count]), whole), "%", match, spelled=True
        )
    if alone := match["of3"] or match["of4"]:
        return _numeral(Fraction(1), alone, match, spelled=True)
    if match["often"]:
        times = Fraction(_OFTEN[match["often"].lower()])
        return _numeral(times, "x", match, spelled=True)
    if match["of2"]:
        return _numeral(_part(match["part"]), match["of2"], match, spelled=True)
    value = _spelled(match["first"], match["words"])
    return _numeral(
        (value + _part(match["rest"])) * _scale((match["scale"] or "").strip().lower()),
        match["unit"],
        match,
        spelled=True,
    )


def _numeral(value: Fraction, unit: str | None, match: re.Match[str], *, spelled: bool = False) -> Numeral:
    base, factor = "", Fraction(1)
    if unit:
        name, slash, rest = unit.partition("/")
        base, factor = unit_of(unit if unit.strip(" -").lower() in _WITH_SLASH else name)
        if base == "g" and rest.lower() in _VOLUMES:
            volume, litres = unit_of(rest)
            base, factor = f"g/{volume}", factor / litres
    return Numeral(plain_digits(value * factor), base, match.start(), match.end(), spelled, factor)


def _scale(word: str) -> int:
    return _SCALES[word.removesuffix("s")] if word else 1


def _part(word: str | None) -> Fraction:
    if not word:
        return Fraction(0)
    plain = re.sub(r"\s+", " ", word.lower().replace("-", " ")).removeprefix("a ").removesuffix(" of")
    return _PARTS[plain]


def plain_digits(value: Fraction) -> str:
    """In plain digits where they are exact."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return str(value)
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str(int(value * 10**places)).zfill(places + 1)
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def _spelled(first: str, words: str) -> Fraction:
    """The value of a number in words, such as ``twenty`` and `` two thousand``.

    Digits one by one, as of a code, and two numbers of two digits, as of a year, are put side by side.
    """
    opening = first.lower()
    half = opening.startswith("half")
    names = re.findall(r"[a-z]+", words.lower())
    if not opening.startswith(("a", "half")) and not set(names) & set(_SCALES):
        values = [_WORDS[name] for name in (opening, *names)]
        groups = _groups(values)
        if len(groups) > 2 and max(groups) < 10 or (len(groups) == 2 and min(groups) > 9):
            return Fraction("".join(map(str, groups)))
    current, total = (0 if opening.startswith(("a", "half")) else _WORDS[opening]), 0
    for word in names:
        if word == "and":
            continue
        if word in ("hundred", "dozen"):
            current = (current or 1) * _SCALES[word]
        elif word in _SCALES:
            total, current = total + (current or 1) * _SCALES[word], 0
        else:
            current += _WORDS[word]
    return Fraction(total + current) / (2 if half else 1)


def _groups(values: Sequence[int]) -> list[int]:
    """Tens with the digit behind them as one: 44 and 90 of forty, four, ninety."""
    groups: list[int] = []
    tens = False
    for value in values:
        if tens and 0 < value < 10:
            groups[-1] += value
            tens = False
        else:
            groups.append(value)
            tens = value >= 20
    return groups


def _with_units(numbers: list[Numeral], text: str) -> list[Numeral]:
    """Give the first of ``22.4 to 21.8%`` the unit of the second."""
    for i in range(len(numbers) - 2, -1, -1):
        numeral, after = numbers[i], numbers[i + 1]
        if not numeral.unit and after.unit and after.start - numeral.end < 12 and not numeral.spelled:
            between = text[numeral.end : after.start]
            if _JOIN.fullmatch(between) and not (after.unit == "%" and re.search(r"and|or", between)):
                value = plain_digits(Fraction(numeral.value) * after.factor)
                numbers[i] = replace(numeral, value=value, unit=after.unit, factor=after.factor)
    return numbers


def _joined(numbers: list[Numeral], text: str) -> list[Numeral]:
    """Make one of ``1 hour 30 minutes``: amounts of one kind side by side, each in a smaller unit."""
    joined: list[Numeral] = []
    for numeral in numbers:
        last = joined[-1] if joined else None
        if last is not None and _is_rest(last, numeral, text):
            value = plain_digits(Fraction(last.value) + Fraction(numeral.value) / 100)
            joined[-1] = replace(last, value=value, end=numeral.end)
        elif (
            last is not None
            and last.unit == numeral.unit
            and last.unit in ("s", "month", "m", "g")
            and last.factor > numeral.factor
            and _GOES_ON.fullmatch(text[last.end : numeral.start])
        ):
            value = plain_digits(Fraction(last.value) + Fraction(numeral.value))
            joined[-1] = replace(last, value=value, end=numeral.end, factor=numeral.factor)
        else:
            joined.append(numeral)
    return joined


def _is_rest(numeral: Numeral, rest: Numeral, text: str) -> bool:
    """Whether it is the ``forty`` of ``twelve euros forty`` or of ``one metre forty``."""
    return (
        (numeral.unit in MONEY or (numeral.unit == "m" and numeral.factor == 1))
        and not rest.unit
        and text[numeral.end : rest.start] == " "
        and re.fullmatch(r"\d\d|\D+", text[rest.start : rest.end]) is not None
        and not text[numeral.start : numeral.end].lstrip().startswith(MONEY)
        and 10 <= Fraction(rest.value) < 100
        and not re.match(r"\s[a-z]", text[rest.end :])
    )
