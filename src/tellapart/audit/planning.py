"""What it would take to settle a pair, and how likely it separates, at the levels of the next claims."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tellapart.audit.evidence import Evidence
from tellapart.core.comparison import PairComparison
from tellapart.core.comparison.plan import Spread, settle_at, whole


@dataclass(frozen=True)
class Plan:
    """What is planned for a pair: to find the smallest difference that matters, or show that there is none.

    Attributes:
        place: Of the pair among all.
        n: Items that both models have scores on.
        spread: Of their difference over items.
        least: The difference to plan for; 0 where so many scores are missing that no number would do.
    """

    place: int
    n: int
    spread: Spread
    least: float
    evidence: Evidence

    @property
    def variance(self) -> float:
        """Of the difference over items, in squared score units."""
        return float(self.spread.variance[0])

    @property
    def design_effect(self) -> float:
        """How much more the mean varies because items share sources."""
        return float(self.spread.design_effect[0])

    def items(self, variance: float | None = None, *, complete: bool = False) -> int | None:
        """Give the items that settle the pair, where the difference varied so much over items.

        If ``complete``, or where too many scores are missing for any, it is as many as would if none were.
        """
        spread, options = self.spread, self.evidence.options
        if variance is not None:
            spread = replace(spread, variance=np.array([variance]), exact=np.zeros(1))
        needed = spread.items_to_settle(
            options.least if complete else self.least or options.least,
            self.evidence.level,
            self.evidence.level_equivalent,
            options.power,
        )
        return whole(float(needed[0]))

    def chance(self, n: int, variance: float | None = None) -> float:
        """Give the chance that the pair separates with so many items."""
        more = 1.0 if variance is None or not self.variance else variance / self.variance
        return self.evidence.outlook.alone(self.place, n, more)


def plan_for(pair: PairComparison, evidence: Evidence) -> Plan:
    """Plan for a pair of the evidence, or for the same two on fewer items."""
    limits, least = evidence.grid.limits, settle_at(pair, evidence.options.least)
    spread = Spread.of([pair], limits[1] - limits[0])
    return Plan(evidence.places[pair.a, pair.b], pair.n, spread, least, evidence)
