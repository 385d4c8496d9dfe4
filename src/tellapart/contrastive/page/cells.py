"""Cells that several tables share."""

from __future__ import annotations

from tellapart.contrastive.answers import Ends
from tellapart.contrastive.figures import ModelResult
from tellapart.core.comparison import POWER
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, undefined

NO_ITEMS = "no answer was scored"

AS_SEEN = (
    f"for {show.whole_percent(POWER)} power, were the difference the one seen, or an end of its 95 % interval"
)
"""What numbers of items needed are."""


def accuracy(result: ModelResult, bounds: bool = False) -> Cell:
    """Accuracy in percent with its interval, and below it how many answers are missing."""
    missing = f"{result.askings_missing} missing" if result.askings_missing else ""
    if missing and bounds and result.accuracy_bounds:
        missing += f"; [{show.rate_range(result.accuracy_bounds)}]"
    return rate_with_interval(result.accuracy, result.accuracy_ci, missing)


def rate_with_interval(value: float | None, ends: Ends | None, missing: str = "") -> Cell:
    """A rate in percent with its interval, and what is missing."""
    if value is None:
        return undefined(NO_ITEMS, missing)
    interval = show.rate_range(ends) if ends else "no interval"
    return Cell(show.rate(value), "; ".join(filter(None, [interval, missing])))


def rate(value: float | None) -> Cell:
    """A rate in percent."""
    return undefined(NO_ITEMS) if value is None else Cell(show.rate(value))


def number(value: float | None, digits: int = 3, reason: str = NO_ITEMS) -> Cell:
    """A number with a fixed count of decimals."""
    return undefined(reason) if value is None else Cell(show.decimal(value, digits))
