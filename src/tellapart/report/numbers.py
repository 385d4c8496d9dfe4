"""Figures as people read them: rounded, with their unit, and a dash for what is undefined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import floor, log10

DASH = "–"
"""Stands for a figure that is undefined; the reason is given beside it."""

MINUS = "−"
MANY = 100_000
"""Item counts above this are shown as ``>100,000``: nobody will write so many items."""


def rate(value: float) -> str:
    """Give a rate in [0, 1] in percent with one decimal, without the sign: ``83.5``."""
    return f"{100 * value:.1f}"


def percent(value: float) -> str:
    """Give a rate in [0, 1] in percent with one decimal and the sign: ``83.5 %``."""
    return f"{rate(value)} %"


def whole_percent(value: float) -> str:
    """Give a rate in [0, 1] in whole percent: ``84 %``."""
    return f"{100 * value:.0f} %"


def chance_of(value: float) -> str:
    """Give a chance in whole percent, never as certain: ``84 %``, ``over 99 %``."""
    percent = whole_percent(value)
    return {"100 %": "over 99 %", "0 %": "under 1 %"}.get(percent, percent)


def rate_range(interval: Sequence[float]) -> str:
    """Give an interval of rates in percent, without the sign: ``78.9–87.3``."""
    return f"{rate(interval[0])}–{rate(interval[1])}"


def points(difference: float) -> str:
    """Give a difference of rates in percentage points, always signed: ``+6.1``, ``−0.4``, ``0.0``."""
    rounded = f"{100 * difference:+.1f}"
    return "0.0" if float(rounded) == 0 else rounded.replace("-", MINUS)


def points_range(interval: Sequence[float]) -> str:
    """Give an interval of differences in percentage points: ``−10.2 to −2.1``."""
    return f"{points(interval[0])} to {points(interval[1])}"


def decimal(value: float, digits: int = 3) -> str:
    """Give a number with a fixed count of decimals: ``0.798``."""
    return f"{value:.{digits}f}".replace("-", MINUS)


def any_size(value: float) -> str:
    """Give a number of any size with three decimals, or with three digits where decimals say little."""
    return decimal(value) if 0.001 <= abs(value) < 10 or not value else significant(value)


def significant(value: float) -> str:
    """Give a number of any size with three significant digits: ``5.33``, ``0.0471``, ``103``."""
    return f"{value:.3g}".replace("-", MINUS)


def alike(values: Sequence[float]) -> list[str]:
    """Give numbers with equally many decimals, the largest with three significant digits: ``0.0004, 0.006``.

    Zeros that all of them end in are left out. Very large and very small ones have an exponent each.
    """
    largest = max(map(abs, values), default=0.0)
    if largest and not 1e-4 <= largest < 1000:
        return [significant(value) for value in values]
    decimals = max(0, 2 - floor(log10(largest))) if largest else 0
    shown = [f"{value:.{decimals}f}" for value in values]
    while decimals and all(text.endswith("0") for text in shown):
        decimals -= 1
        shown = [text[:-1].removesuffix(".") for text in shown]
    return [text.removeprefix("-") if float(text) == 0 else text.replace("-", MINUS) for text in shown]


def plain(value: float) -> str:
    """Give a number with three significant digits and without an exponent: ``0.0471``, ``1230000``."""
    return f"{Decimal(f'{value:.3g}'):f}"


def p_value(p: float) -> str:
    """Give a probability with three decimals, and the smallest as ``< 0.001``."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def count(number: int) -> str:
    """Give a count with separators: ``1,980``."""
    return f"{number:,}"


def items(number: int) -> str:
    """Give a number of items needed: ``1,980``, or ``>100,000``."""
    return count(number) if number <= MANY else f">{count(MANY)}"


def between(values: Sequence[float], form: Callable[[float], str]) -> str:
    """Give the span of several figures in one form: ``20–30 %``, or one figure when all look the same."""
    low, high = form(min(values)), form(max(values))
    if low == high:
        return low
    number, _, unit = low.partition(" ")
    return f"{number}–{high}" if unit and high.endswith(unit) else f"{low}–{high}"


def capital(text: str) -> str:
    """Begin a sentence: the first letter in upper case, the others as they are."""
    return text[:1].upper() + text[1:]


def listed(words: Sequence[str], last: str = "and", most: int | None = None) -> str:
    """Join words as a sentence does: ``a``, ``a and b``, ``a, b and c``."""
    if most is not None and len(words) > most:
        words = [*words[:most], f"{count(len(words) - most)} more"]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def plural(number: int, noun: str) -> str:
    """Give a count with its noun: ``1 pair``, ``3 pairs``."""
    return f"{count(number)} {noun}" if number == 1 else f"{count(number)} {noun}s"


@dataclass(frozen=True)
class Scale:
    """How scores are shown: rates, which lie in [0, 1], in percent, and their differences in points."""

    rates: bool = True

    @classmethod
    def of(cls, limits: Sequence[float | None]) -> Scale:
        """Of scores with these limits."""
        return cls(tuple(limits) == (0.0, 1.0))

    @property
    def unit(self) -> str:
        """Of a mean, for a heading: ``, %`` or nothing."""
        return ", %" if self.rates else ""

    @property
    def gap_unit(self) -> str:
        """Of a difference, for a heading."""
        return "percentage points" if self.rates else "score units"

    def mean(self, value: float) -> str:
        """Give a mean: ``83.5`` or ``4.12``."""
        return rate(value) if self.rates else significant(value)

    def span(self, ends: Sequence[float]) -> str:
        """Give an interval of a mean."""
        return rate_range(ends) if self.rates else " to ".join(alike(ends))

    def tick(self, value: float) -> str:
        """Give a round number on an axis of means."""
        return f"{100 * value if self.rates else value:.6g}".replace("-", MINUS)

    def gap(self, value: float) -> str:
        """Give a difference with its sign: ``+6.1`` or ``+0.213``."""
        return points(value) if self.rates else _signed(value, significant(value))

    def gap_span(self, ends: Sequence[float]) -> str:
        """Give an interval of a difference."""
        return points_range(ends) if self.rates else " to ".join(map(_signed, ends, alike(ends)))

    def gap_tick(self, value: float) -> str:
        """Give a round number on an axis of differences, with its sign."""
        return _signed(value, self.tick(value))

    def sizes(self, ends: Sequence[float]) -> str:
        """Give an interval of the size of a difference, without the unit: ``1.0 to 5.2``."""
        return " to ".join(decimal(100 * end, 1) for end in ends) if self.rates else self.span(ends)

    def size(self, value: float) -> str:
        """Give the size of a difference with its unit: ``2 points``; with the decimals that ``gap`` has."""
        if not self.rates:
            return significant(abs(value))
        tiny = 0 < abs(value) < 0.001
        number = f"{100 * abs(value):.2g}" if tiny else rate(abs(value)).removesuffix(".0")
        return f"{number} point{'' if number == '1' else 's'}"


def _signed(value: float, text: str) -> str:
    """A difference that is above 0 has its sign, unless it is shown as 0."""
    return f"+{text}" if value > 0 and text.strip("0.") else text


def words(column: str) -> str:
    """Give the name of a column or value as words."""
    return column.replace("_", " ")
