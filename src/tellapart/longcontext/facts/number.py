"""Numbers with their units: which amounts are the same, which are near, and which questions ask for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from tellapart.longcontext.facts.kind import Fact, FactKind, Mention, Sighting, Wanted, is_inside
from tellapart.longcontext.facts.numerals import Numeral, numerals, plain_digits
from tellapart.longcontext.facts.units import MONEY, TIMES


def agrees(unit: str, other: str) -> bool:
    """Whether a number can be told by one with another unit: without a unit by any but a percentage."""
    return unit == other or (not unit and other != "%") or (not other and unit in MONEY)


STATISTICS = ("p", "ci", "sd")
"""Labels of what only stands beside a result."""


def _in(*units: str) -> Callable[[Mention], bool]:
    return lambda mention: mention.unit in units


def _labelled(*labels: str) -> Callable[[Mention], bool]:
    return lambda mention: mention.label in labels


def _is_count(mention: Mention) -> bool:
    return mention.unit == "" and mention.label in ("", "n") and not mention.is_year


# A rounded number may be off by 10 %, one that is said to be approximate by 15 %.
# A number in another unit may be off by 1.5 %, as conversions are rounded.
_CONVERTED = Fraction(15, 1000)
_ROUNDED, _ABOUT = Fraction(10, 100), Fraction(15, 100)
# Matched against what stands before a number, so it ends at the number.
_SAID_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|some|circa|ca\.?|close\s+to|"
    r"(?:more|less|fewer)\s+than|over|under|above|below|at\s+least|at\s+most|just\s+(?:over|under))|[~≈>≥<≤])"
    r"\s*(?:[a-z]{1,3}\s?=\s?)?[$€£]?\s?$",
    re.I,
)
_SECONDS = {"s": 1, "month": 2629800}
"""Of a unit of time; a month has as many as the average one."""
_COUNTED = 20
"""Numbers in words up to this are claims only where a count is asked for: they stand in any text."""


_COUNTING = (
    "the|a|what|which|total|exact|whole|overall|average|mean|final|sample|maximum|minimum|largest|smallest"
)
"""What stands before ``number of`` where it asks for a count."""


class _Number(FactKind):
    name = "number"
    precedence = 10
    is_value = True
    recurs = True
    told_by = ("version",)
    wanted = (
        Wanted(r"percent|%|\brates?\b|proportion|what share", _in("%")),
        # Not the tracking number of a parcel, nor the phone number of a person.
        Wanted(rf"sample size|how many|(?:^|\b(?:{_COUNTING})\s)numbers? of|\bN\b", _is_count),
        Wanted(
            r"\bvalue\b|\bcosts?\b|\bprices?\b|\$|\bbudgets?\b|how much money|\bpay\b|\bpaid\b|"
            r"\bsalar(?:y|ies)\b|\bearns?\b|"
            r"\bfees?\b|\brent\b|\bdeposit\b|\brefund\b|\bamount\b|\bbalance\b|\bowe[sd]?\b",
            _in(*MONEY),
        ),
        Wanted(r"how much\b", lambda mention: mention.unit not in ("", "x", *TIMES)),
        Wanted(r"correlat", _labelled("r", "rho")),
        Wanted(r"threshold", _in("x")),
        Wanted(r"effect size", _labelled("d", "g", "smd")),
        Wanted(r"p-value|significance level", _labelled("p")),
        Wanted(r"\bdos(?:e|age|ing)s?\b", _in("g", "l")),
        Wanted(
            r"how long|duration|how many (?:minutes|hours|days|weeks|months|years)|how old|\bage\b|"
            r"what (?:\w+\s)?time did it take|response time",
            _in(*TIMES),
        ),
        Wanted(r"how often|how many times", _in("x")),
        Wanted(r"how far|distance|how (?:long|tall|high|wide|deep)\b|length|height|width|depth", _in("m")),
        Wanted(r"how heavy|\bweigh", _in("g")),
        Wanted(r"temperature|how (?:hot|cold|warm)\b|degrees", _in("°C", "°F", "°")),
        Wanted(r"how fast|speed", _in("m/s")),
        Wanted(r"how (?:big|large)\b|\barea\b", _in("m²", "B", "l")),
        Wanted(r"what year|which year|\bwhen\b", lambda mention: mention.is_year),
        Wanted(r"odds ratio|\bORs?\b", _labelled("or"), every=True),
    )

    def sightings(self, text: str, taken: Sequence[tuple[int, int]]) -> Iterable[Sighting]:
        for numeral in numerals(text):
            if is_inside(numeral.start, taken):
                continue
            fact = Fact(self, text[numeral.start : numeral.end].strip(), _normal(numeral))
            yield Sighting(numeral.start, numeral.end, None if _counts_entries(numeral, text) else fact)

    def agrees(self, wanted: Fact, given: Fact) -> bool:
        """Whether it is the same amount; without a unit by the digits that are written."""
        if given.kind is not self:
            return given.text == wanted.text
        if given.normal == wanted.normal:
            return True
        one, two = _quantity(wanted), _quantity(given)
        if one.unit == two.unit:
            return one.amount == two.amount
        return agrees(one.unit, two.unit) and one.written == two.written

    def measured(self, fact: Fact) -> tuple[str, str]:
        value, unit, _ = fact.normal.split("|")
        return value, unit

    def words(self, text: str) -> Iterable[str]:
        for numeral in numerals(text):
            yield numeral.value
            yield plain_digits(Fraction(numeral.value) / numeral.factor)

    def is_claim(self, text: str, start: int, fact: Fact) -> bool:
        return not _is_mark(text, start + len(fact.text), start)

    def comparable(self, claim: Mention, detail: Mention) -> bool:
        """Whether label and unit go together, and a year stands for a year.

        Without a unit a number goes with any but a percentage; a number with another label, such as ``p``,
        goes with nothing that has a label of its own.
        """
        if _is_conversion(claim.fact, detail.fact):
            return False
        labels = {claim.label, detail.label}
        if claim.label and detail.label and len(labels) > 1:
            return False
        if claim.label in STATISTICS:
            return claim.label == detail.label
        year = claim.is_year and not claim.label
        if year != detail.is_year and not (year and claim.value == detail.value):
            return False
        if claim.unit and detail.unit and _written(claim.fact) == _written(detail.fact) != 1:
            return True
        if {claim.unit, detail.unit} <= {*MONEY} or {claim.unit, detail.unit} <= {*TIMES}:
            return True
        return claim.unit == detail.unit or (not claim.unit and bool(detail.unit))

    def replaces(self, claim: Mention, detail: Mention) -> bool:
        if not super().replaces(claim, detail):
            return False
        return not _is_small_word(claim) or (not detail.unit and _written(detail.fact) <= _COUNTED)

    def can_spoil(self, claim: Mention) -> bool:
        return not _is_small_word(claim)

    def matched(self, detail: Mention, claims: Sequence[Mention], text: str) -> bool:
        return any(
            claim.fact.kind is self
            and _same_amount(detail.fact, claim.fact)
            and (self.comparable(claim, detail) or (not detail.unit and claim.unit not in ("", "%")))
            or (claim.fact.kind is self and _is_conversion(claim.fact, detail.fact))
            for claim in claims
        )

    def near(self, detail: Mention, claims: Sequence[Mention], text: str) -> Mention | None:
        """Rounded, said to be about, or a range with it inside."""
        alike = [claim for claim in claims if claim.fact.kind is self and self.comparable(claim, detail)]
        for claim in alike:
            right, given = _amounts(detail.fact, claim.fact)
            if not right:
                return None
            off = abs(given - right) / right
            rounded = off <= _ROUNDED and _rounds(_decimal(right), _decimal(given))
            if rounded or (off <= _ABOUT and _is_approximate(text, claim)):
                return claim
        for low, high in zip(alike, alike[1:], strict=False):
            between = text[low.end : high.start].strip()
            (right, least), (_, most) = _amounts(detail.fact, low.fact), _amounts(detail.fact, high.fact)
            if between in ("-", "–", "and", "to") and least <= right <= most:
                opens = text[: low.start].rstrip().lower()
                if between != "and" or opens.endswith("between"):
                    return low
        return None


KIND = _Number()


def size_of(size: int) -> Fact:
    """The size of an entry, as a key has it, as a fact."""
    return Fact(KIND, f"N={size:,}", f"{size}||1")


def _normal(numeral: Numeral) -> str:
    return f"{numeral.value}|{numeral.unit}|{numeral.factor}"


class Quantity(NamedTuple):
    """An amount in the unit that is compared, that unit, and the amount as it is written."""

    amount: Fraction
    unit: str
    written: Fraction


@lru_cache(maxsize=65536)
def _read(normal: str) -> Quantity:
    value, unit, factor = normal.split("|")
    return Quantity(Fraction(value), unit, Fraction(value) / Fraction(factor))


def _quantity(fact: Fact) -> Quantity:
    return _read(fact.normal)


def _written(fact: Fact) -> Fraction:
    """The number as it is written, in its own unit."""
    return _quantity(fact).written


def amounts_of(fact: Fact, other: Fact) -> tuple[Fraction, Fraction, Fraction]:
    """Two amounts as they are compared, and the first as it is written."""
    return *_amounts(fact, other), _written(fact)


def _amounts(fact: Fact, other: Fact) -> tuple[Fraction, Fraction]:
    """Two amounts as they are to be compared: in one unit, or as written where one has none."""
    one, two = _quantity(fact), _quantity(other)
    if one.unit == two.unit:
        return one.amount, two.amount
    if {one.unit, two.unit} == {*TIMES}:
        return one.amount * _SECONDS[one.unit], two.amount * _SECONDS[two.unit]
    return one.written, two.written


def _same_amount(fact: Fact, other: Fact) -> bool:
    right, given = _amounts(fact, other)
    units = {_quantity(fact).unit, _quantity(other).unit}
    return right == given and (len(units) == 1 or "" in units)


def _is_conversion(fact: Fact, other: Fact) -> bool:
    """Whether it is the same amount in another unit, rounded: 914 mm and three feet."""
    if fact.kind is not KIND or other.kind is not KIND:
        return False
    one, two = _quantity(fact), _quantity(other)
    if one.unit != two.unit or not two.amount or one.amount * two.written == two.amount * one.written:
        return False
    off = abs(one.amount - two.amount) / two.amount
    return 0 < off <= _CONVERTED


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _is_small_word(claim: Mention) -> bool:
    return claim.fact.text[:1].isalpha() and not claim.unit and _written(claim.fact) <= 12


def _counts_entries(numeral: Numeral, text: str) -> bool:
    after = text[numeral.end : numeral.end + 12].lower()
    return numeral.spelled and (
        (numeral.value in ("0", "1") and not numeral.unit)
        or after.lstrip().startswith(("studies", "articles", "entries"))
    )


def _is_mark(text: str, end: int, start: int) -> bool:
    line = text.rfind("\n", 0, start) + 1
    if text[line:start].strip(" *#-|("):
        return False
    return text[end : end + 2] in (". ", ") ", ".*") and bool(text[end + 2 :].strip())


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
