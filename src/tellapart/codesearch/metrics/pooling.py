"""The ground truth that several evaluations make together, and how systems do against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np

from tellapart.codesearch.case import Case
from tellapart.codesearch.metrics.aggregate import mean_bounds
from tellapart.codesearch.metrics.conversation import Tier, irrelevant, no_run, tiers
from tellapart.codesearch.metrics.paired_cases import SharedCases, pair_figures, share_cases
from tellapart.codesearch.results.systems import Ruler, RulerPair, SystemMean
from tellapart.core.arrays import F64, I64
from tellapart.core.stats import mean_once


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
    """
    by_case = [tiers(case) for case in cases]
    by_tier = {tier: {f for of_case in by_case for f, own in of_case.items() if own is tier} for tier in Tier}
    explored = by_tier[Tier.BOTH] | by_tier[Tier.ONE]
    wrong = frozenset().union(*map(irrelevant, cases))
    judged = by_tier[Tier.JUDGE] - explored
    of_case = frozenset().union(*(case.ours for case in cases))
    relevant = {
        Tier.BOTH: frozenset(by_tier[Tier.BOTH]),
        Tier.ONE: frozenset(by_tier[Tier.ONE] - by_tier[Tier.BOTH]),
        Tier.JUDGE: frozenset(judged - wrong),
    }
    unknown = of_case - explored - (judged ^ wrong)
    return Pool(relevant, unknown, not all(map(no_run, cases)))


def pools_of(lists: Sequence[Sequence[Case]]) -> dict[str, Pool]:
    """Put together what several evaluations know, by conversation that any of them has."""
    cases: dict[str, list[Case]] = {}
    for case in chain.from_iterable(lists):
        cases.setdefault(case.conversation.id, []).append(case)
    return {id_: pool_of(of_conversation) for id_, of_conversation in cases.items()}


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


@dataclass(frozen=True)
class PoolMeasure:
    """A measure of a system against a pool.

    Attributes:
        tiers: Whose files are relevant.
        part: Takes how many of them the system found, how many there are and how many files it found in all,
            as arrays of one shape; gives what is to be divided, and by what.
    """

    tiers: tuple[Tier, ...]
    part: Callable[[I64, I64, int], tuple[I64, I64]]

    def score(self, case: Case, pool: Pool) -> Scored:
        """Measure one system; where nobody explored the conversation, it could be anything."""
        if not pool.explored:
            return Scored(None, 0.0, 1.0)
        open_ = self._open(pool)
        own, others = len(open_ & case.ours), len(open_ - case.ours)
        values = self._values(case, pool, np.array([0, 0, own]), np.array([0, others, own]))
        return Scored(_defined(values[0]), *_ends(values, values))

    def gap_bounds(self, a: Case, b: Case, pool: Pool) -> tuple[float | None, float | None]:
        """Give the least and the greatest of a - b over what the open files could be.

        An open file that both found is relevant for both or for neither. What only one found moves the
        difference one way; of the others every number is tried, since they may move it either way.
        """
        if not pool.explored:
            return -1.0, 1.0
        open_ = self._open(pool)
        both = open_ & a.ours & b.ours
        only_a, only_b = len((open_ & a.ours) - both), len((open_ & b.ours) - both)
        # Every count of shared files against every count of files that neither found.
        of_both = np.arange(len(both) + 1)[:, None]
        of_none = np.arange(len(open_ - a.ours - b.ours) + 1)[None, :]

        def gaps(x_a: int, x_b: int) -> F64:
            size = x_a + x_b + of_both + of_none
            values_a = self._values(a, pool, x_a + of_both, size)
            return values_a - self._values(b, pool, x_b + of_both, size)

        return _ends(gaps(0, only_b), gaps(only_a, 0))

    def _open(self, pool: Pool) -> frozenset[str]:
        return pool.open if Tier.JUDGE in self.tiers else frozenset()

    def _values(self, case: Case, pool: Pool, more_found: I64, more: I64) -> F64:
        """With so many more files relevant, and so many of these found; NaN where it is undefined."""
        relevant = frozenset().union(*(pool.relevant[tier] for tier in self.tiers))
        hits, size = len(relevant & case.ours) + more_found, len(relevant) + more
        above, below = np.broadcast_arrays(*self.part(hits, size, len(case.ours)))
        values = np.full(above.shape, np.nan)
        np.divide(above, below, out=values, where=below > 0)
        return values


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _ends(lows: F64, highs: F64) -> tuple[float | None, float | None]:
    """Where one end is undefined, for want of any relevant file, what is defined is at the other."""
    ends = [defined for defined in (lows, highs) if not np.isnan(defined).all()]
    if not ends:
        return None, None
    return float(np.nanmin(ends[0])), float(np.nanmax(ends[-1]))


MEASURES = {
    "f1": PoolMeasure(tuple(Tier), lambda hits, size, ours: (2 * hits, size + ours)),
    "precision": PoolMeasure(tuple(Tier), lambda hits, size, ours: (hits, np.array(ours))),
    "recall": PoolMeasure(tuple(Tier), lambda hits, size, _: (hits, size)),
    "f1_union": PoolMeasure((Tier.BOTH, Tier.ONE), lambda hits, size, ours: (2 * hits, size + ours)),
    "recall_union": PoolMeasure((Tier.BOTH, Tier.ONE), lambda hits, size, _: (hits, size)),
}
"""Against a pool. Precision: share of the system's files that are relevant, undefined where it found none;
recall: share of the relevant files that it found, undefined where there is none; f1: their harmonic mean, as
2 found / (its files + relevant files); f1_union and recall_union: of what the explorations found, which
needs no verdict."""

TIER_RECALL = {tier: PoolMeasure((tier,), lambda hits, size, _: (hits, size)) for tier in Tier}
"""Share of the relevant files of one tier that a system found; undefined where there is none.

What the judge alone calls relevant is known of the systems' own files only: that tier says who found more of
what any of them found.
"""


def by_ruler(of: PoolMeasure, systems: Mapping[str, Sequence[Case]], pools: Mapping[str, Pool]) -> Ruler:
    """Measure all systems against what is known together, conversation by conversation."""
    shared = share_cases(*systems.values())
    return Ruler(
        systems={name: _mean(of, cases, pools) for name, cases in zip(systems, shared.lists, strict=True)},
        pairs=tuple(
            _pair(a, b, of, share_cases(cases_a, cases_b), pools)
            for (a, cases_a), (b, cases_b) in combinations(systems.items(), 2)
        ),
    )


def _mean(of: PoolMeasure, cases: Sequence[Case], pools: Mapping[str, Pool]) -> SystemMean:
    scores = [of.score(case, pools[case.conversation.id]) for case in cases]
    low, high = mean_bounds((score.low, score.high) for score in scores)
    values = [score.value for score in scores if score.value is not None]
    return SystemMean(
        mean=mean_once(values) if low == high else None, bounds=(low, high), conversations=len(values)
    )


def _pair(a: str, b: str, of: PoolMeasure, shared: SharedCases, pools: Mapping[str, Pool]) -> RulerPair:
    """Compare two systems on the conversations that both have a value on."""
    cases = [(case_a, case_b, pools[case_a.conversation.id]) for case_a, case_b in shared.conversations]
    figures = pair_figures(
        (of.score(case_a, pool).value for case_a, _, pool in cases),
        (of.score(case_b, pool).value for _, case_b, pool in cases),
        (of.gap_bounds(*each) for each in cases),
    )
    ahead = {1: a, -1: b}.get(figures.sign)
    return RulerPair(
        a=a,
        b=b,
        difference=figures.difference if figures.is_certain else None,
        bounds=figures.bounds,
        conversations=figures.n,
        ahead=ahead,
        open=ahead is None and not figures.is_certain and figures.bounded > 0,
    )
