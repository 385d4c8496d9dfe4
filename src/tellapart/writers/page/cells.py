"""Cells of figures that several sections show."""

from __future__ import annotations

from tellapart.core.estimate import Estimate
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, undefined


def percent(estimate: Estimate | None, reason: str = "") -> Cell:
    """Show a share in percent with its interval."""
    if estimate is None or estimate.value is None:
        return undefined((estimate and estimate.reason) or reason)
    span = show.rate_range(estimate.interval) if estimate.interval else "no interval"
    return Cell(show.rate(estimate.value), span)


def number(estimate: Estimate | None, reason: str, digits: int = 2) -> Cell:
    """Show a number with its interval."""
    if estimate is None or estimate.value is None:
        return undefined(reason)
    ends = estimate.interval
    span = f"{show.decimal(ends.low, digits)} to {show.decimal(ends.high, digits)}" if ends else "no interval"
    return Cell(show.decimal(estimate.value, digits), span)


def signed(value: float) -> str:
    """Show a number with two decimals and its sign."""
    return f"{'+' if value > 0 else ''}{show.decimal(value, 2)}"
