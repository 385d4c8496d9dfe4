"""Models' means over any items, without the rounding that would order models whose scores are alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tellapart.core.arrays import F64, I64
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats import kendall_tau_b


@dataclass(frozen=True)
class FixedPoint:
    """Rounded numbers.

    Attributes:
        units: Whole numbers; any sum of as many as were promised is exact, so a matrix product is too.
        unit: What one stands for, a power of two.
    """

    units: F64
    unit: float


def fixed_point(values: F64, addends: int) -> FixedPoint:
    """Round numbers to the finest unit in which sums are exact."""
    greatest = float(np.abs(values).max(initial=0.0))
    if greatest == 0:
        return FixedPoint(np.zeros(values.shape), 1.0)
    spare = 52 - int(np.ceil(np.log2(max(addends, 1))))
    unit = float(2.0 ** (np.ceil(np.log2(greatest)) - spare))
    return FixedPoint(np.rint(values / unit), unit)


@dataclass(frozen=True)
class ExactScores:
    """Scores whose sums are exact in any order of adding.

    Attributes:
        units: Shape (models, items), the scores in fixed point; 0 where there is none.
        scored: Of the same shape, 1 where there is a score, else 0.
        unit: What one unit is of the greatest score.
    """

    units: F64
    scored: F64
    unit: float

    @classmethod
    def of(cls, grid: ScoreGrid) -> ExactScores:
        """Bring scores to fixed point."""
        scored = ~np.isnan(grid.scores)
        scores = np.where(scored, grid.scores, 0.0)
        fixed = fixed_point(scores, len(grid.items))
        greatest = float(np.abs(scores).max(initial=0.0))
        return cls(fixed.units, scored.astype(np.float64), fixed.unit / (greatest or 1.0))

    def means(self, group: I64, n_groups: int) -> F64:
        """Mean by group of items, as `means_of` gives it."""
        return self.means_of(self.sums(group, n_groups), self.counts(group, n_groups)).T

    def sums(self, group: I64, n_groups: int) -> F64:
        """Sum of the units by group of items; shape (models, groups)."""
        return _summed(self.units, group, n_groups)

    def counts(self, group: I64, n_groups: int) -> F64:
        """Number of scores by group of items; shape (models, groups)."""
        return _summed(self.scored, group, n_groups)

    def means_of(self, sums: F64, counts: F64) -> F64:
        """Turn sums of units into shares of the greatest score; NaN where there is no score."""
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan) * self.unit


def tau_b(left: F64, right: F64) -> list[float | None]:
    """Compare orders of means as `tellapart.core.stats.kendall_tau_b` does."""
    return kendall_tau_b(np.round(left, 9), np.round(right, 9))


def _summed(rows: F64, group: I64, n_groups: int) -> F64:
    inside = group >= 0
    group = group[inside]
    return np.stack([np.bincount(group, weights=row[inside], minlength=n_groups) for row in rows])
