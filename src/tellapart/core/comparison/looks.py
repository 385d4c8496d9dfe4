"""Interim analyses of scores that grow: when they are, and what they decide."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import takewhile
from math import ceil

import numpy as np

from tellapart.core.arrays import I64
from tellapart.core.comparison.decision import claims_at_look, correct_together
from tellapart.core.comparison.pair_tests import run_tests
from tellapart.core.comparison.pairs import PairComparison
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.progress import SILENT, Progress, counted
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.spending import Look
from tellapart.errors import UsageError

MOST_LOOKS = 20
"""Looks by default."""

_MOST_LOOKS_EVER = 100

LEAST_BATCH = 10
"""Fewer items than this are no new look."""

_GROWTH = 1.25


@dataclass(frozen=True)
class LookPlan:
    """When growing scores are looked at; it depends on nothing but these numbers.

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
        """Give the numbers of items at which there is a look, ascending, up to ``n_items``."""
        return list(takewhile(lambda size: size <= n_items, self._sizes()))

    def next_size(self, n_items: int) -> int | None:
        """Give the number of items at the first look after ``n_items``; None after the last."""
        return next((size for size in self._sizes() if size > n_items), None)

    def _sizes(self) -> list[int]:
        if self.first and not self.batch:
            looks = [self.first]
            while looks[-1] * _GROWTH < self.max_items:
                looks.append(ceil(looks[-1] * _GROWTH))
            return [*(size for size in looks if size < self.max_items), self.max_items]
        step = self.batch or max(LEAST_BATCH, ceil(self.max_items / MOST_LOOKS))
        return [*range(step, self.max_items - step // 2, step), self.max_items]


@dataclass(frozen=True)
class LookedAt:
    """What looks showed.

    Attributes:
        pairs: A pair that was decided stands as at the look which decided it. Empty before the first look.
        used: Items up to the last look, or to that which decided.
        is_decided: Whether of every pair that is awaited one is better, or both are equivalent.
    """

    pairs: tuple[PairComparison, ...]
    used: int
    looks: int
    is_decided: bool


def compare_at_looks(
    grid: ScoreGrid,
    places: I64,
    plan: LookPlan,
    settings: ComparisonSettings,
    progress: Progress = SILENT,
    awaited: Collection[str] | None = None,
) -> LookedAt:
    """Compare every two models, or each with the baseline, at each look of a plan until all is decided.

    What came after the look at which every pair was decided is not used, so that more calls claim no more.
    ``places`` are those of items in the grid in the order in which they were asked; pairs without a model of
    ``awaited`` are not waited for.
    """
    places = places[: plan.max_items]
    sizes = plan.sizes(len(places))
    decided: dict[int, PairComparison] = {}
    for k, used in enumerate(counted(sizes, progress, "looking", unit="looks"), start=1):
        is_used = np.zeros(len(grid.items), dtype=np.bool_)
        is_used[places[:used]] = True
        look = Look(tuple(size / plan.max_items for size in sizes[:k]))
        tested = run_tests(grid.only(is_used), settings, look=look)
        decided |= claims_at_look(tested, settings, decided)
        is_decided = all(
            at in decided or (awaited is not None and not {grid.models[i] for i in two} & set(awaited))
            for at, two in enumerate(tested.models(range(len(tested.pairs))))
        )
        if is_decided or k == len(sizes):
            pairs = correct_together([tested], settings, before=decided)
            return LookedAt(tuple(pairs), used, k, is_decided)
    return LookedAt((), 0, 0, is_decided=False)
