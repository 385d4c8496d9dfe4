"""Units and currencies, from ``units.toml``: how each is written, and in which unit amounts are compared."""

from __future__ import annotations

import re
import tomllib
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files

MONEY = ("$", "€", "£", "¥", "CHF", "₹", "zł", "C$", "A$", "kr")
"""Currencies, as amounts are compared in them."""

TIMES = ("s", "month")
"""What durations are compared in."""

_TABLE: dict[str, dict[str, str]] = tomllib.loads(
    files(__package__).joinpath("units.toml").read_text("utf-8")
)
_UNITS = {
    spelling.replace("_", " "): (base, Fraction(factor))
    for base, written in _TABLE.items()
    for spellings, factor in written.items()
    for spelling in spellings.split()
}

BEFORE = r"(?:US\s?\$|(?-i:CA?|AU?)\$|[$€£¥₹]|(?:EUR|USD|GBP|CHF|JPY|INR|SEK|NOK|DKK|PLN|CAD|AUD)\b)"
"""A currency before its amount."""


def _pattern(spelling: str) -> str:
    words = re.escape(spelling).replace(r"\ ", r"s?\s", 1).replace(r"\ ", r"\s")
    # A short one has no plural: "41 has" says nothing of hectares.
    return words + (r"s?\b" if spelling[-1].isalpha() and len(spelling) > 2 else r"(?!\w)")


AFTER = "|".join(map(_pattern, sorted(dict.fromkeys(unit.lower() for unit in _UNITS), key=len, reverse=True)))
"""A unit behind its amount; a regular expression that takes no notice of case."""


@lru_cache(maxsize=4096)
def unit_of(written: str) -> tuple[str, Fraction]:
    """The unit in which an amount is compared, and how many of it the written one is.

    ``mW`` is not ``MW`` and ``Mb`` is not ``MB``; a spelling whose case says nothing is read in lower case.
    """
    word = re.sub(r"\s+", " ", re.sub(r"^[\s-]+|(?<!\s)\s+$", "", written))
    low = word.lower().replace("us $", "us$").replace("ca$", "c$").replace("au$", "a$")
    first, _, rest = low.partition(" ")
    singular = f"{first.removesuffix('s')} {rest}".strip()
    for spelling in (word, low, low.removesuffix("s"), singular, singular.removesuffix("s")):
        if spelling in _UNITS:
            return _UNITS[spelling]
    raise KeyError(written)
