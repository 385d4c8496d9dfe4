"""What the author of an answer may say of how it is compared, checked where it is read."""

from __future__ import annotations

import re

from tellapart.longcontext.facts.units import unit_of
from tellapart.longcontext.rules.numbers_off import tolerance_of


def checked_regex(text: str) -> str:
    """A regular expression as it is.

    Raises:
        ValueError: It is none, and why.
    """
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from None
    return text


def checked_unit(text: str) -> str:
    """A unit as it is.

    Raises:
        ValueError: It is none that amounts are compared in.
    """
    try:
        unit_of(text)
    except KeyError:
        raise ValueError(f"{text!r} is no known unit, expected such as km, kg, min, GB, % or EUR") from None
    return text


def checked_tolerance(text: str) -> str:
    """A tolerance as it is.

    Raises:
        ValueError: It is none.
    """
    tolerance_of(text)
    return text
