"""How many items would settle a pair, at the level at which the next claim is tested."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tellapart.audit.evidence import Evidence
from tellapart.core.comparison import PairComparison
from tellapart.core.stats import PairedTest, items_against_gap, power_of, power_of_mcnemar
from tellapart.core.stats.power import MOST_ITEMS
from tellapart.report.comparison import Scale
from tellapart.report.numbers import whole_percent


@dataclass(frozen=True)
class Plan:
    """What is planned for a pair.

    The difference that was seen is planned for where it matters. Where it is less than the smallest that
    does, no number of items is worth its being found, and the plan is to settle it: to find a difference of
    the smallest that matters, should there be one, and to show equivalence, should there be none.

    Attributes:
        gap: The difference planned for, in score units, > 0.
        variance: Of the difference over items, in squared score units, as the test takes it: of scores of 0
            and 1 that of these items (division by n), so that shares of items are those seen; else n - 1.
        least: The smallest difference that matters.
        settles: Whether that is what is planned for, the one seen being less.
        exact: Whether the test is McNemar's.
        design_effect: Of items that share a source; 1 where none do.
        items_per_cluster: Mean number of items that share a source.
        level: Two-sided, of the test for a difference.
        level_equivalent: One-sided, of each of the two tests for equivalence.
        scale: How a difference is shown.
    """

    gap: float
    variance: float
    least: float
    settles: bool
    exact: bool
    design_effect: float
    items_per_cluster: float
    level: float
    level_equivalent: float
    power: float
    scale: Scale = field(default_factory=Scale)

    def items(
        self, variance: float | None = None, *, gap: float | None = None, exact: bool | None = None
    ) -> int | None:
        """Give the number of items it takes."""
        variance = self.variance if variance is None else variance
        gap = abs(self.gap if gap is None else gap)
        exact = self.exact if exact is None else exact
        to_separate = self._items_for(gap, variance, exact, self.power, self.level)
        if not self.settles or to_separate is None:
            return to_separate
        alpha = min(2 * self.level_equivalent, self.power)
        equal = self._items_for(gap, variance, False, (1 + self.power) / 2, alpha)
        return None if equal is None else max(to_separate, equal)

    def items_as_seen(self, seen: float) -> int | None:
        """Give the number of items that separate a pair or show it equivalent, if it differs by what is seen.

        For the plan to settle a pair that has as many items as `items` says, and whose difference, near the
        smallest that matters, neither test could settle.
        """
        alpha = min(2 * self.level_equivalent, self.power)
        ways = (
            self._items_for(abs(seen), self.variance, self.exact, self.power, self.level),
            self._items_for(self.least - abs(seen), self.variance, False, (1 + self.power) / 2, alpha),
        )
        return min((n for n in ways if n is not None), default=None)

    def items_without_variance(self, seen: float, span: float) -> int | None:
        """Give the number of items that show a pair equivalent whose difference is the same on every item."""
        share = (self.least - abs(seen)) / (span - abs(seen))
        if not 0 < share < 1:
            return None
        needed = math.log(self.level_equivalent) / math.log1p(-share) * self.items_per_cluster
        return math.ceil(needed) if needed <= MOST_ITEMS else None

    def chance(self, n: int) -> float:
        """Give the power of n items, in [0, 1]."""
        if self.exact:
            discordant = min(1.0, max(self.gap, self.variance + self.gap**2))
            ahead, behind = (discordant + self.gap) / 2, (discordant - self.gap) / 2
            return power_of_mcnemar(n, ahead, behind, alpha=self.level)
        sd = math.sqrt(self.variance)
        return power_of(n, self.gap, sd, alpha=self.level, design_effect=self.design_effect) or 0.0

    def outcome(self, pair: PairComparison) -> str:
        """Write what carrying out the plan would do, after "would"."""
        names, power = f"{pair.a} and {pair.b}", whole_percent(self.power)
        if self.settles:
            gap = self.scale.size(self.gap)
            return f"show with {power} power whether {names} differ by {gap} or are equivalent"
        return f"separate {names} with {power} power"

    def _items_for(self, gap: float, variance: float, exact: bool, power: float, alpha: float) -> int | None:
        return items_against_gap(
            [gap],
            math.sqrt(variance),
            power=power,
            alpha=alpha,
            design_effect=self.design_effect,
            items_per_cluster=self.items_per_cluster,
            exact_mcnemar=exact,
        )[0]


def plan_for(pair: PairComparison, evidence: Evidence) -> Plan:
    """Plan for the difference that was seen, or for the smallest that matters where that is larger."""
    seen, least = abs(pair.difference or 0.0), evidence.options.least
    clustered = 0 < pair.clusters < pair.n
    exact = pair.test is PairedTest.MCNEMAR
    return Plan(
        gap=max(seen, least),
        variance=(pair.sd or 0.0) ** 2 * ((pair.n - 1) / pair.n if exact else 1.0),
        least=least,
        settles=seen < least,
        exact=exact,
        design_effect=max(pair.design_effect or 1.0, 1e-6) if clustered else 1.0,
        items_per_cluster=pair.n / pair.clusters if clustered else 1.0,
        level=evidence.level,
        level_equivalent=evidence.level_equivalent,
        power=evidence.options.power,
        scale=evidence.scale,
    )
