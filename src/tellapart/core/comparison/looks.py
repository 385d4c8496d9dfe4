"""Interim analyses of scores that grow: what each may claim, so that all of them together claim rightly."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from math import ceil

from tellapart.core.arrays import F64
from tellapart.core.stats.spending import nominal_level, spent_p
from tellapart.errors import UsageError

MOST_LOOKS = 20
"""Looks by default."""

_MOST_LOOKS_EVER = 100

LEAST_BATCH = 10
"""Fewer items than this are no new look."""

_GROWTH = 1.25


@dataclass(frozen=True)
class Look:
    """One look of several, or the only one.

    Attributes:
        fractions: The shares of the greatest number of items at all looks so far; none of an only look.
    """

    fractions: tuple[float, ...] = ()

    def adjusted(self, p: F64) -> F64:
        """Turn p of the test into p of all looks up to this one."""
        return spent_p(p, self.fractions) if self.fractions else p

    def nominal(self, level: float) -> float:
        """Give the level of the test at this look for a level of all looks together."""
        return nominal_level(level, self.fractions) if self.fractions else level


ONE_LOOK = Look()
"""The only look at scores that are complete."""


@dataclass(frozen=True)
class LookPlan:
    """When growing scores are looked at.

    Attributes:
        max_items: The most items that will be asked, fixed before the first answer was seen.
        batch: Items between looks; None for a twentieth of ``max_items``.
        first: Without a batch, items at the first look, after which each has a quarter more; None for even
            steps.
    """

    max_items: int
    batch: int | None = None
    first: int | None = None

    def __post_init__(self) -> None:
        """Check the numbers that a user gives."""
        if self.max_items < 2:
            raise UsageError(f"--max-items is {self.max_items}, expected 2 or more")
        if self.batch is not None and self.batch < 1:
            raise UsageError(f"--batch is {self.batch}, expected 1 or more")
        if self.batch and self.max_items > self.batch * _MOST_LOOKS_EVER:
            raise UsageError(
                f"--batch {self.batch} gives {ceil(self.max_items / self.batch):,} looks at "
                f"{self.max_items:,} items, expected {_MOST_LOOKS_EVER} at most",
                next_step=f"Give --batch {ceil(self.max_items / _MOST_LOOKS_EVER)} or more",
            )

    def sizes(self, n_items: int) -> list[int]:
        """Give the numbers of items at which there is a look, ascending, up to ``n_items``.

        They depend on nothing but the plan.
        """
        return list(takewhile(lambda size: size <= n_items, self._sizes()))

    def next_size(self, n_items: int) -> int | None:
        """Give the number of items at the first look after ``n_items``; None after the last."""
        return next((size for size in self._sizes() if size > n_items), None)

    def look(self, sizes: list[int]) -> Look:
        """Give the last of the looks at these numbers of items."""
        return Look(tuple(size / self.max_items for size in sizes))

    def _sizes(self) -> list[int]:
        if self.first and not self.batch:
            looks = [self.first]
            while looks[-1] * _GROWTH < self.max_items:
                looks.append(ceil(looks[-1] * _GROWTH))
            return [*(size for size in looks if size < self.max_items), self.max_items]
        step = self.batch or max(LEAST_BATCH, ceil(self.max_items / MOST_LOOKS))
        return [*range(step, self.max_items - step // 2, step), self.max_items]
