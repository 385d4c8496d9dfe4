"""What several evaluations of the same conversation know together, and how a system does against that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tellapart.codesearch.case import Case
from tellapart.codesearch.metrics.conversation import Share, no_run
from tellapart.codesearch.metrics.grades import Tier, irrelevant, tiers


@dataclass(frozen=True)
class Pool:
    """Files of one conversation, by what all evaluations of it say.

    Attributes:
        relevant: By tier, those that are relevant; a file is in the surest tier that any evaluation gives it.
        open: Files that a system found and of which nobody knows whether they are relevant: no exploration
            found them, and there is no verdict, or verdicts contradict one another.
        explored: Whether any exploration came to its end.
    """

    relevant: Mapping[Tier, frozenset[str]]
    open: frozenset[str]
    explored: bool

    @property
    def known(self) -> frozenset[str]:
        """Every file that is relevant."""
        return frozenset().union(*self.relevant.values())


def pool_of(cases: Sequence[Case]) -> Pool:
    """Put together what several evaluations know of one conversation.

    What a judge calls not relevant still counts where an exploration of another evaluation found it, as it
    does within one evaluation, where the judge is not asked about it.

    Args:
        cases: Of the same conversation, at least one, in any order.
    """
    by_case = [tiers(case) for case in cases]
    said = {tier: {f for found in by_case for f, its in found.items() if its is tier} for tier in Tier}
    explored = said[Tier.BOTH] | said[Tier.ONE]
    wrong = frozenset().union(*map(irrelevant, cases)) - explored
    judged = said[Tier.JUDGE] - explored
    found = frozenset().union(*(case.ours for case in cases))
    relevant = {
        Tier.BOTH: frozenset(said[Tier.BOTH]),
        Tier.ONE: frozenset(said[Tier.ONE] - said[Tier.BOTH]),
        Tier.JUDGE: frozenset(judged - wrong),
    }
    unknown = found - explored - (judged ^ wrong)
    return Pool(relevant, unknown, not all(map(no_run, cases)))


@dataclass(frozen=True)
class Scored:
    """A measure of one system on one conversation, each in [0, 1], higher is better.

    Attributes:
        value: With every open file taken as not relevant; None where it is undefined.
        low: With those of other systems taken as relevant; None where it is undefined whatever they are.
        high: With the system's own taken as relevant.
    """

    value: float | None
    low: float | None
    high: float | None


Of: TypeAlias = Callable[[Case, Pool], Scored]


def precision(case: Case, pool: Pool) -> Scored:
    """Share of the system's files that are relevant; undefined where it found none."""
    return _scored(case, pool, tuple(Tier), lambda found, _: Share(found, len(case.ours)))


def recall(case: Case, pool: Pool) -> Scored:
    """Share of the relevant files that the system found; undefined where there is none."""
    return _scored(case, pool, tuple(Tier), Share)


def f1(case: Case, pool: Pool) -> Scored:
    """Harmonic mean of the two: 2 found / (the system's files + relevant files)."""
    return _scored(case, pool, tuple(Tier), lambda found, size: Share(2 * found, len(case.ours) + size))


def recall_union(case: Case, pool: Pool) -> Scored:
    """Share of the explorations' relevant files that the system found; needs no verdict."""
    return _scored(case, pool, (Tier.BOTH, Tier.ONE), Share)


def tier_recall(tier: Tier) -> Of:
    """Share of the relevant files of one tier that a system found; undefined where there is none.

    What the judge alone calls relevant is known of the systems' own files only: that tier says who found more
    of what any of them found.
    """
    return lambda case, pool: _scored(case, pool, (tier,), Share)


MEASURES: dict[str, Of] = {of.__name__: of for of in (f1, precision, recall, recall_union)}
"""Against the pool, by name."""


def _scored(case: Case, pool: Pool, among: Sequence[Tier], share: Callable[[int, int], Share]) -> Scored:
    """A measure with its bounds over the open files, which could be of the judge's tier.

    Args:
        case: Of the system.
        pool: Of the conversation; where nobody explored it, the measure could be anything.
        among: Tiers that count.
        share: Takes how many of their files the system found, and how many there are.
    """
    if not pool.explored:
        return Scored(None, 0.0, 1.0)
    relevant = frozenset().union(*(pool.relevant[tier] for tier in among))
    found, size = len(relevant & case.ours), len(relevant)
    open_ = pool.open if Tier.JUDGE in among else frozenset()
    own, others = len(open_ & case.ours), len(open_ - case.ours)
    possible = [share(found, size), share(found, size + others), share(found + own, size + own)]
    known = [one.value for one in possible if one.value is not None]
    return Scored(possible[0].value, min(known, default=None), max(known, default=None))
