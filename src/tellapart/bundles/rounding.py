"""Figures rounded to what they are good for."""

from __future__ import annotations

from typing import overload

from tellapart.core.estimate import Interval

DECIMALS = 12
"""Far below what single-precision vectors know, above how processors differ."""


@overload
def rounded(value: float) -> float: ...
@overload
def rounded(value: None) -> None: ...
@overload
def rounded(value: float | None) -> float | None: ...
def rounded(value: float | None) -> float | None:
    """Round to ``DECIMALS``; a negative zero is plain zero, and None stays None."""
    # Adding 0 turns a negative zero into the plain one.
    return None if value is None else round(float(value), DECIMALS) + 0.0


def rounded_ends(interval: Interval | None) -> list[float] | None:
    """Both ends of an interval, rounded; None stays None."""
    return None if interval is None else list(map(rounded, interval))
