"""Several looks at scores that grow: what each look may claim, so that all of them together claim rightly."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import count, takewhile
from math import ceil
from typing import Protocol

from tellapart.core.stats import PairedTest, nominal_levels, spent_p
from tellapart.errors import UsageError

MOST_LOOKS = 20
"""Looks at a number of items that is known beforehand."""

_MOST_LOOKS_EVER = 100

LEAST_BATCH = 10
"""Fewer items than this are no new look."""

_GROWTH = 20
"""Without a greatest number of items, each look comes after a twentieth more."""


class Method(StrEnum):
    """How looks are kept from claiming falsely."""

    SPENDING = "spending"
    BETTING = "betting"


class Look(Protocol):
    """One look of several."""

    @property
    def test(self) -> PairedTest | None:
        """The test, where it is not that of a single look."""

    @property
    def is_interim(self) -> bool:
        """Whether further looks are planned."""

    def adjusted(self, p: float) -> float:
        """Turn p of the test into p of all looks up to this one."""

    def nominal(self, level: float) -> float:
        """Give the level of the test at this look for a level of all looks together."""


@dataclass(frozen=True)
class _OneLook:
    test: PairedTest | None = None
    is_interim: bool = False

    def adjusted(self, p: float) -> float:
        return p

    def nominal(self, level: float) -> float:
        return level


ONE_LOOK: Look = _OneLook()
"""The only look at scores that are complete."""


@dataclass(frozen=True)
class SpendingLook:
    """A look before the greatest number of items is reached, or there.

    Attributes:
        fractions: The shares of that number at all looks so far.
    """

    fractions: tuple[float, ...]
    test: PairedTest | None = None

    @property
    def is_interim(self) -> bool:
        """See `Look`."""
        return self.fractions[-1] < 1

    def adjusted(self, p: float) -> float:
        """See `Look`."""
        return spent_p(p, self.fractions)

    def nominal(self, level: float) -> float:
        """See `Look`."""
        return float(nominal_levels(self.fractions, level)[-1])


@dataclass(frozen=True)
class LookPlan:
    """When growing scores are looked at, and how.

    Attributes:
        max_items: The most items that will be asked, fixed before the first answer was seen; None where
            nobody knows.
        batch: Items between looks; None for a twentieth of ``max_items``, or of the items so far.
    """

    max_items: int | None = None
    batch: int | None = None

    def __post_init__(self) -> None:
        """Check the numbers that a user gives."""
        if self.max_items is not None and self.max_items < 2:
            raise UsageError(f"--max-items is {self.max_items}, expected 2 or more")
        if self.batch is not None and self.batch < 1:
            raise UsageError(f"--batch is {self.batch}, expected 1 or more")
        if self.batch and self.max_items and self.max_items > self.batch * _MOST_LOOKS_EVER:
            raise UsageError(
                f"--batch {self.batch} gives {ceil(self.max_items / self.batch):,} looks at "
                f"{self.max_items:,} items, expected {_MOST_LOOKS_EVER} at most",
                next_step=f"Give --batch {ceil(self.max_items / _MOST_LOOKS_EVER)} or more",
            )

    @property
    def method(self) -> Method:
        """Levels are spent where the end is known; else bets are laid, which may be ended whenever one likes.

        Where the end is known, spending takes fewer items.
        """
        return Method.BETTING if self.max_items is None else Method.SPENDING

    def sizes(self, asked: int, *, ends: bool = False) -> list[int]:
        """Give the numbers of items at which there is a look, ascending, up to ``asked``.

        They depend on nothing but the plan; but bets have a last look at the end, if there are no more items.
        """
        sizes = list(takewhile(lambda size: size <= asked, self._sizes()))
        return [*sizes, asked] if ends and self.max_items is None and asked not in sizes else sizes

    def next_size(self, asked: int) -> int | None:
        """Give the number of items at the first look after ``asked``; None after the last."""
        return next((size for size in self._sizes() if size > asked), None)

    def look(self, sizes: list[int]) -> Look:
        """Give the last of the looks at these numbers of items."""
        if self.max_items is None:
            return _OneLook(PairedTest.BETTING)
        return SpendingLook(tuple(size / self.max_items for size in sizes))

    def _sizes(self) -> list[int] | map[int]:
        if self.max_items is not None:
            step = self.batch or max(LEAST_BATCH, ceil(self.max_items / MOST_LOOKS))
            return [*range(step, self.max_items - step // 2, step), self.max_items]
        if self.batch is not None:
            return map(self.batch.__mul__, count(1))
        return map(_growing, count(1))


def _growing(k: int) -> int:
    """The items at look ``k``: by tens up to 200, then by a twentieth more each."""
    by_tens = LEAST_BATCH * _GROWTH
    if k <= _GROWTH:
        return LEAST_BATCH * k
    return ceil(by_tens * (1 + 1 / _GROWTH) ** (k - _GROWTH))
