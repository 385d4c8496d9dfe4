"""What is known about two models, and about a family of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeVar

from tellapart.core.estimate import Interval
from tellapart.core.stats.paired import Discordant, PairedTest


class Verdict(StrEnum):
    """What can be said of two models, A and B."""

    A_BETTER = "a>b"
    B_BETTER = "b>a"
    EQUIVALENT = "equivalent"
    NOT_SEPARATED = "not_separated"
    WITHHELD = "withheld"


class _Judged(Protocol):
    @property
    def a(self) -> str: ...

    @property
    def b(self) -> str: ...

    @property
    def difference(self) -> float | None: ...

    @property
    def verdict(self) -> Verdict: ...


class TwoModels:
    """What every form of a pair says of its two models, from its verdict and its difference."""

    @property
    def is_separated(self: _Judged) -> bool:
        """Whether one of the two is better."""
        return self.verdict in (Verdict.A_BETTER, Verdict.B_BETTER)

    @property
    def ahead(self: _Judged) -> str:
        """The model with the higher mean; ``a`` of a tie."""
        return self.b if (self.difference or 0.0) < 0 else self.a

    @property
    def behind(self: _Judged) -> str:
        """The other one."""
        return self.a if (self.difference or 0.0) < 0 else self.b


@dataclass(frozen=True)
class PairComparison(TwoModels):
    """Two models on the items that both have scores on; A comes first in ascending order of names.

    Attributes:
        n: Items that both have scores on.
        n_clusters: Sources of these items.
        difference: Mean of a - b, or None without an item.
        sd: Standard deviation of a - b over items (n - 1), or None.
        design_effect: Variance inflation by clusters, or None.
        binary: Whether every score is 0 or 1.
        interval: Of the difference, at ``1 - level``: what ``test`` accepts, so that it holds 0 exactly where
            the test does not separate the models. None where ``reason`` says why.
        interval_95: The same at 95 %, for this pair alone.
        level: At which Holm's method tested this pair; for pairs after the first that was not rejected, that
            one's level. None without a test.
        test: That ``p`` is of, or None without one.
        p: Of no difference, two-sided, or None.
        p_adjusted: The same, adjusted over the pairs of the family.
        p_equivalent: Of a difference of at least the smallest that matters, adjusted likewise, or None.
        bounds: Least and greatest difference that any values of the missing scores could give, or None.
        verdict: What can be said. Where there is no test, not separated, and ``reason`` says why.
        items_needed: Items, these included, with which ``test`` would separate the two with the planned power
            at ``planned_level``, were the rates, or the difference and its spread, as observed. None where no
            number would.
        planned_level: Holm's level of the next claim: alpha over the pairs of the family that are not
            separated.
        reason: Why there is no interval, and with fewer than two items or clusters no p either; or empty.
        discordant: Items that exactly one of the two gets right, where all scores are 0 or 1; else None.
        stratum: The value of the secondary column whose items these are; None for the primary family.
        withheld: Why the scores bear no verdict on these two, whatever they are; or empty. A verdict that is
            withheld without it could be turned round by missing scores.
    """

    a: str
    b: str
    n: int
    n_clusters: int
    difference: float | None
    sd: float | None
    design_effect: float | None
    binary: bool
    interval: Interval | None
    interval_95: Interval | None
    level: float | None
    test: PairedTest | None
    p: float | None
    p_adjusted: float | None
    p_equivalent: float | None
    bounds: tuple[float, float] | None
    verdict: Verdict
    items_needed: int | None
    planned_level: float
    reason: str
    discordant: Discordant | None = None
    stratum: str | None = None
    withheld: str = ""

    def of(self, model: str) -> tuple[float | None, Interval | None]:
        """Give the difference and its interval as ``model`` minus the other one."""
        if model == self.a:
            return self.difference, self.interval
        turned = None if self.interval is None else negated(self.interval)
        return None if self.difference is None else 0.0 - self.difference, turned


PairT = TypeVar("PairT", bound=PairComparison)


def negated(interval: Interval) -> Interval:
    """Give the interval of b - a from that of a - b."""
    return Interval(0.0 - interval.high, 0.0 - interval.low)


@dataclass(frozen=True)
class Family:
    """Pairs that are corrected together.

    Attributes:
        name: ``all items``, ``COLUMN=VALUE``, or the column of a secondary family.
        pairs: In ascending order of stratum and names.
        declared: Whether it was fixed before the scores were known; only such a family makes headlines.
        left_out: Items that were left out after the scores were known.
    """

    name: str
    pairs: tuple[PairComparison, ...]
    declared: bool = True
    left_out: int = 0

    @property
    def separated(self) -> tuple[PairComparison, ...]:
        """The pairs of which one model is better."""
        return tuple(pair for pair in self.pairs if pair.is_separated)


@dataclass(frozen=True)
class Comparison:
    """Models told apart, or not: the one answer that every command shows.

    Attributes:
        alpha: Chance of any false claim in a family.
        power: Chance that items are planned for.
        sesoi: Smallest difference that matters, in score units.
        baseline: The model that the others are compared with, or None for every pair.
        primary: Pairs on all items, or on the part that was declared; the only family that makes headlines.
        secondary: Pairs in every value of one column, corrected all together; None without such a column.
        cautions: Sentences that stand wherever a verdict does.
    """

    alpha: float
    power: float
    sesoi: float
    baseline: str | None
    primary: Family
    secondary: Family | None
    cautions: tuple[str, ...] = ()
