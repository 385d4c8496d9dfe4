"""A number with its doubt: the one type of a value that is known only so well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, SupportsFloat


class Interval(NamedTuple):
    """A two-sided interval, both ends included, in the unit of the value that it belongs to.

    In JSON it is the pair ``[low, high]``, such as a record's ``interval`` or ``ci``.
    """

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        """Whether a number lies between the ends, or at one."""
        return isinstance(value, SupportsFloat) and self.low <= float(value) <= self.high

    def within(self, low: float, high: float) -> Interval:
        """The interval cut to where the value can lie."""
        return Interval(max(self.low, float(low)), min(self.high, float(high)))


@dataclass(frozen=True)
class Estimate:
    """A value and how well it is known.

    As a field of a record its JSON is an object of these five fields, in this order. Records with published
    names of their own take ``value``, ``interval``, ``n`` and ``reason`` from here under these names.

    Attributes:
        value: In the unit of what is estimated; None where there is nothing to estimate it from.
        low: The lower end of the 95 % interval, or of the level that was asked for, in the same unit; None
            where there is no interval, or where the data set no such end but do set the upper one.
        high: The upper one, infinite or None where the data set none.
        n: How many it was estimated from: items, unless who makes the estimate says what else; 0 without any.
        reason: Why there is no value, no interval or only one end; None where nothing is missing.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str | None = None

    @property
    def interval(self) -> Interval | None:
        """Both ends; None where there is no interval."""
        return None if self.low is None or self.high is None else Interval(self.low, self.high)


@dataclass(frozen=True, kw_only=True)
class EstimateWithError(Estimate):
    """An estimate with its standard error as well, in the unit of the value; None where there is none."""

    standard_error: float | None = None
