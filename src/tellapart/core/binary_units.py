"""Units in which numbers of extraordinary size can be squared: powers of two, which keep every bit."""

from __future__ import annotations

from math import frexp, inf, ldexp

_SMALLEST, _GREATEST = 2.0**-64, 2.0**64


def unit_exponent(greatest: float) -> int:
    """The exponent of two of a unit in which numbers can be squared without becoming 0 or infinite."""
    return 0 if greatest == 0 or _SMALLEST <= greatest <= _GREATEST else frexp(greatest)[1] - 1


def moved(value: float, exponent: int) -> float:
    """A number times a power of two; infinite where that is no number of a computer."""
    try:
        return ldexp(value, exponent)
    except OverflowError:
        return inf if value > 0 else -inf
