"""Numbers, in whatever way they are written, with their units."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from tellapart.longcontext.facts.entries import reference_spans
from tellapart.longcontext.facts.kind import Fact, FactKind, Mention, Sighting, Wanted, is_inside, states

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
    """

    value: str
    unit: str
    start: int
    end: int
    spelled: bool = False


@lru_cache(maxsize=8192)
def numerals(text: str) -> tuple[Numeral, ...]:
    """Find the numbers, in order; ``Study 6`` refers to an entry and is none.

    Signs are left out: a change of -16.4 is a reduction by 16.4. The unit of ``22.4 to 21.8%`` is of both.
    Parts of identifiers, such as the digits of ``PDQ-20`` and ``6q14.1``, are no numbers.
    """
    taken = reference_spans(text)
    numbers: list[Numeral] = []
    at = 0
    for match in _NUMBER.finditer(text):
        while at < len(taken) and taken[at][1] <= match.start():
            at += 1
        if at < len(taken) and taken[at][0] <= match.start():
            continue
        if (numeral := _numeral(match)) is not None:
            numbers.append(numeral)
    return tuple(_with_units(numbers, text))


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
        numeral, after = numbers[i], numbers[i + 1]
        if not numeral.unit and after.unit and after.start - numeral.end < 12 and not numeral.spelled:
            between = text[numeral.end : after.start]
            if _JOIN.fullmatch(between) and not (after.unit == "%" and re.search(r"and|or", between)):
                numbers[i] = replace(numeral, unit=after.unit)
    return numbers


@lru_cache(maxsize=8192)
def numbers_in(text: str) -> dict[str, tuple[str, ...]]:
    """The values of a text with the units that each has; not to be changed."""
    units: dict[str, tuple[str, ...]] = {}
    for numeral in numerals(text):
        units[numeral.value] = (*units.get(numeral.value, ()), numeral.unit)
    return units


def agrees(unit: str, other: str) -> bool:
    """Whether a number can be told by one with another unit: without a unit by any but a percentage."""
    return unit == other or (not unit and other != "%") or (not other and unit in _MONEY)


STATISTICS = ("p", "ci", "sd")
"""Labels of what only stands beside a result."""

_MONEY = ("$", "€", "£")
_TIMES = ("min", "s", "h", "day", "week", "month", "year", "ms")


def _in(*units: str) -> Callable[[Mention], bool]:
    return lambda mention: mention.unit in units


def _labelled(*labels: str) -> Callable[[Mention], bool]:
    return lambda mention: mention.label in labels


def _is_count(mention: Mention) -> bool:
    return mention.unit == "" and mention.label in ("", "n") and not mention.is_year


# A rounded number may be off by 10 %, one that is said to be approximate by 15 %.
_ROUNDED, _ABOUT = Decimal("0.10"), Decimal("0.15")
# Matched against what stands before a number, so it ends at the number.
_SAID_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|some|circa|ca\.?|close\s+to|"
    r"(?:more|less|fewer)\s+than|over|under|above|below|at\s+least|at\s+most|just\s+(?:over|under))|[~≈>≥<≤])"
    r"\s*(?:[a-z]{1,3}\s?=\s?)?[$€£]?\s?$",
    re.I,
)


class _Number(FactKind):
    name = "number"
    precedence = 10
    is_value = True
    recurs = True
    wanted = (
        Wanted(r"percent|%|\brates?\b|proportion|what share", _in("%")),
        Wanted(r"sample size|how many|number of|\bN\b", _is_count),
        Wanted(r"\bvalue\b|\bcosts?\b|\bprice\b|\$|\bbudget\b|how much money", _in(*_MONEY)),
        Wanted(r"correlat", _labelled("r", "rho")),
        Wanted(r"threshold", _in("x")),
        Wanted(r"effect size", _labelled("d", "g", "smd")),
        Wanted(r"p-value|significance level", _labelled("p")),
        Wanted(r"\bdos(?:e|age|ing)\b", _in("mg")),
        Wanted(r"how long|duration|how many (?:minutes|hours|days|weeks|months)", _in(*_TIMES)),
        Wanted(r"what year|which year|\bwhen\b", lambda mention: mention.is_year),
        Wanted(r"odds ratio|\bORs?\b", _labelled("or"), every=True),
    )

    def sightings(self, text: str, taken: Sequence[tuple[int, int]]) -> Iterable[Sighting]:
        for numeral in numerals(text):
            if is_inside(numeral.start, taken):
                continue
            fact = Fact(self, text[numeral.start : numeral.end].strip(), _normal(numeral))
            yield Sighting(numeral.start, numeral.end, None if _counts_entries(numeral, text) else fact)

    def states(self, text: str, fact: Fact) -> bool:
        value, unit = self.measured(fact)
        return any(agrees(unit, other) for other in numbers_in(text).get(value, ()))

    def same(self, fact: Fact, other: Fact) -> bool:
        return other.kind is self and states(fact.text, other)

    def measured(self, fact: Fact) -> tuple[str, str]:
        match = re.fullmatch(r"([$€£]?)([\d.]+)(.*)", fact.normal)
        return (match[2], match[1] or match[3]) if match else (fact.normal, "")

    def words(self, text: str) -> Iterable[str]:
        return (numeral.value for numeral in numerals(text))

    def is_claim(self, text: str, start: int, fact: Fact) -> bool:
        value, unit = self.measured(fact)
        small = fact.text[:1].isalpha() and not unit and float(value) <= 12
        return not small and not _is_mark(text, start + len(fact.text), start)

    def comparable(self, claim: Mention, detail: Mention) -> bool:
        """Whether label and unit go together, and a year stands for a year.

        Without a unit a number goes with any but a percentage; a number with another label, such as ``p``,
        goes with nothing that has a label of its own.
        """
        labels = {claim.label, detail.label}
        if claim.label and detail.label and len(labels) > 1:
            return False
        if claim.label in STATISTICS:
            return claim.label == detail.label
        year = claim.is_year and not claim.label
        if year != detail.is_year and not (year and claim.value == detail.value):
            return False
        return claim.unit == detail.unit or (not claim.unit and bool(detail.unit))

    def matched(self, detail: Mention, claims: Sequence[Mention], text: str) -> bool:
        return any(
            claim.fact.kind is self and claim.value == detail.value and self.comparable(claim, detail)
            for claim in claims
        )

    def near(self, detail: Mention, claims: Sequence[Mention], text: str) -> Mention | None:
        """Rounded, said to be about, or a range with it inside."""
        right = Decimal(detail.value)
        if not right:
            return None
        alike = [claim for claim in claims if claim.fact.kind is self and self.comparable(claim, detail)]
        for claim in alike:
            off = abs(Decimal(claim.value) - right) / right
            rounded = off <= _ROUNDED and _rounds(right, Decimal(claim.value))
            if rounded or (off <= _ABOUT and _is_approximate(text, claim)):
                return claim
        for low, high in zip(alike, alike[1:], strict=False):
            between = text[low.end : high.start].strip()
            if between in ("-", "–", "and", "to") and Decimal(low.value) <= right <= Decimal(high.value):
                opens = text[: low.start].rstrip().lower()
                if between != "and" or opens.endswith("between"):
                    return low
        return None


KIND = _Number()


def size_of(size: int) -> Fact:
    """The size of an entry, as a key has it, as a fact."""
    return Fact(KIND, f"N={size:,}", str(size))


def _normal(numeral: Numeral) -> str:
    value, unit = numeral.value, numeral.unit
    return f"{unit}{value}" if unit in _MONEY else f"{value}{unit}"


def _counts_entries(numeral: Numeral, text: str) -> bool:
    after = text[numeral.end : numeral.end + 12].lower()
    return numeral.spelled and (
        numeral.value in ("0", "1") or after.lstrip().startswith(("studies", "articles", "entries"))
    )


def _is_mark(text: str, end: int, start: int) -> bool:
    line = text.rfind("\n", 0, start) + 1
    return not text[line:start].strip(" *#-|(") and text[end : end + 2] in (". ", ") ", ".*")


def _rounds(right: Decimal, given: Decimal) -> bool:
    """Whether it is the right number with fewer digits."""
    digits = len(given.normalize().as_tuple().digits)
    if digits >= len(right.normalize().as_tuple().digits):
        return False
    unit = Decimal(1).scaleb(right.adjusted() - digits + 1)
    return abs(right - given) <= unit / 2


def _is_approximate(text: str, claim: Mention) -> bool:
    """Whether what comes before a number says that it is not exact."""
    return _SAID_ABOUT.search(text[max(0, claim.start - 40) : claim.start]) is not None
