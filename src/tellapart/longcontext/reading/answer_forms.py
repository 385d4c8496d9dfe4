"""What the author of an answer may say of how it is compared, checked where it is read."""

from __future__ import annotations

from tellapart.longcontext.rules.author_rules import tolerance_of
from tellapart.longcontext.rules.patterns import matches
from tellapart.longcontext.values.units import unit_of


def checked_regex(text: str) -> str:
    """A regular expression as it is."""
    matches(text, "")
    return text


def checked_unit(text: str) -> str:
    """A unit as it is."""
    try:
        unit_of(text)
    except KeyError:
        raise ValueError("is no known unit, expected such as km, kg, min, GB, % or EUR") from None
    return text


def checked_tolerance(text: str) -> str:
    """A tolerance as it is."""
    tolerance_of(text)
    return text
