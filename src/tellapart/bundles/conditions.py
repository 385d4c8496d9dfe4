"""Conditions told apart that are each a set of runs over seeds, such as ways to train a model."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations
from math import fsum
from typing import Any, TypeAlias

import numpy as np
from pydantic import TypeAdapter
from scipy.special import ndtri

from tellapart.bundles.crossed import CrossedNoise, crossed_difference, crossed_noise
from tellapart.core.arrays import F64
from tellapart.core.comparison.decision import decided_pair
from tellapart.core.comparison.pairs import (
    NOTHING_NEEDED,
    Comparison,
    PairComparison,
    Primary,
    Secondary,
    Verdict,
    to_json,
)
from tellapart.core.comparison_settings import ALPHA, ComparisonSettings
from tellapart.core.estimate import Interval
from tellapart.core.stats import PairedTest, holm_known
from tellapart.core.stats.intervals import OUTSIDE_95
from tellapart.core.stats.multiplicity import holm_levels
from tellapart.core.stats.samples import Clusters

Runs: TypeAlias = Mapping[str, float]
"""Values by seed."""

ItemScores: TypeAlias = Mapping[str, Mapping[str, F64]]
"""Scores of the same items, by condition and seed; shape (items,), finite, their mean the run's value."""

ONE_SEED = "one seed says nothing about how much seeds vary"
NO_VARIATION = "the seeds do not vary, so noise cannot be estimated"

_MOST_SEEDS = 1_000
_ROUNDING = 1e-12


class Covers(StrEnum):
    """What an interval allows for."""

    SEEDS = "seeds"
    SEEDS_AND_ITEMS = "seeds and items"


@dataclass(frozen=True)
class ConditionRuns:
    """The runs of all conditions by one metric.

    Attributes:
        values: By condition and seed, finite.
        is_rate: Whether the values are rates in [0, 1]; only of these can two conditions be equivalent.
        items: The item scores behind the values, where they are there for every run; else empty.
        clusters: Shape (items,), the sources of the items; None where each stands alone.
    """

    metric: str
    values: Mapping[str, Runs]
    is_rate: bool = False
    items: ItemScores = field(default_factory=dict)
    clusters: Clusters | None = None

    def table(self, condition: str) -> F64:
        """Shape (seeds, items or 1): the scores of a condition, by seed in ascending order."""
        seeds = sorted(self.values[condition])
        if self.items:
            return np.stack([self.items[condition][seed] for seed in seeds])
        return np.array([[self.values[condition][seed]] for seed in seeds], dtype=np.float64)

    @property
    def covers(self) -> Covers:
        """What intervals of these runs allow for."""
        return Covers.SEEDS_AND_ITEMS if self.items else Covers.SEEDS


@dataclass(frozen=True, kw_only=True)
class ConditionPair(PairComparison):
    """Two conditions by one metric; ``n`` and ``clusters`` are 0 where no item scores are there.

    Attributes:
        seeds: Runs of a and of b.
        paired: Whether both have the same seeds, and each is held against its own.
        covers: What the intervals allow for.
        seeds_needed: Seeds of each, these included, with which the two would be separated with the planned
            power, were the difference and its noise as observed; None where no number would, or no test is.
    """

    metric: str
    seeds: tuple[int, int]
    paired: bool
    covers: Covers
    seeds_needed: int | None = None


@dataclass(frozen=True)
class ConditionComparison:
    """What is known about conditions.

    Attributes:
        comparison: The primary family is every pair by the first metric; the secondary one every pair by each
            of the others, corrected all together. The pairs are `ConditionPair`.
    """

    comparison: Comparison

    @property
    def pairs(self) -> tuple[ConditionPair, ...]:
        """All pairs by all metrics, in their order."""
        families = (self.comparison.primary, self.comparison.secondary)
        every = [pair for family in families if family for pair in family.pairs]
        return tuple(pair for pair in every if isinstance(pair, ConditionPair))


def compare_conditions(
    metrics: Sequence[ConditionRuns],
    settings: ComparisonSettings | None = None,
    *,
    cautions: Sequence[str] = (),
) -> ConditionComparison:
    """Say of every two conditions whether they differ beyond the noise of their seeds, and of their items.

    Two conditions with the same seeds are paired by seed, and Student's test is on the differences. Others
    are tested as Welch did. Where scores of the items are there, the noise of the items is added; see
    `CrossedNoise.margin`. The means of seeds are taken to be normally distributed: of three runs nothing else
    could show anything.

    Args:
        metrics: The first one makes the headline; the others are detail.
        settings: The defaults where None.
        cautions: Sentences that stand wherever a verdict does.

    Returns:
        The comparison. A condition with one seed has no test, and ``reason`` says so.

    Source:
        Student 1908, "The probable error of a mean"; Welch 1947, "The generalization of 'Student's' problem
        when several different population variances are involved".
    """
    settings = settings or ComparisonSettings()
    first, others = metrics[:1], metrics[1:]
    primary = _family(first, settings)
    secondary = tuple(replace(pair, stratum=pair.metric) for pair in _family(others, settings))
    comparison = Comparison(
        alpha=settings.alpha,
        power=settings.power,
        sesoi=settings.least,
        baseline=None,
        primary=Primary(tuple(primary), first[0].metric if first else ""),
        secondary=Secondary(secondary, "metric") if others else None,
        cautions=tuple(dict.fromkeys(cautions)),
    )
    return ConditionComparison(comparison)


def mean_noise(runs: ConditionRuns, condition: str) -> CrossedNoise | None:
    """Estimate the noise of the mean of one condition; None with fewer than two seeds."""
    table = runs.table(condition)
    return None if len(table) < 2 else crossed_noise(table, _sources(runs))


def _family(metrics: Sequence[ConditionRuns], settings: ComparisonSettings) -> list[ConditionPair]:
    tested = [
        _tested(runs, a, b, settings)
        for runs in metrics
        for a, b in combinations(sorted(name for name, values in runs.values.items() if values), 2)
    ]
    p_values = [pair.p for pair, _ in tested]
    adjusted = holm_known(p_values)
    equivalent = holm_known([pair.p_equivalent for pair, _ in tested])
    levels = holm_levels(p_values, adjusted, settings.alpha)
    decided = [
        (decided_pair(_with_interval(pair, noise, p, q, level, settings.alpha), settings), noise)
        for (pair, noise), p, q, level in zip(tested, adjusted, equivalent, levels, strict=True)
    ]
    planned = settings.alpha / max(1, sum(not pair.is_separated for pair, _ in decided))
    return [
        replace(pair, planned_level=planned, seeds_needed=_seeds_needed(pair, noise, planned, settings.power))
        for pair, noise in decided
    ]


def _tested(
    runs: ConditionRuns, a: str, b: str, settings: ComparisonSettings
) -> tuple[ConditionPair, CrossedNoise | None]:
    first, second = runs.values[a], runs.values[b]
    difference = _mean(first) - _mean(second)
    if abs(difference) <= _ROUNDING * max(map(abs, (*first.values(), *second.values()))):
        difference = 0.0
    paired = set(first) == set(second)
    noise, reason = _noise(runs, a, b, paired=paired)
    n_items = len(next(iter(runs.items[a].values()))) if runs.items else 0
    pair = ConditionPair(
        a=a,
        b=b,
        n=n_items,
        clusters=int(noise.items_freedom) + 1 if noise is not None and n_items > 1 else n_items,
        difference=difference,
        sd=None,
        design_effect=None,
        binary=False,
        interval=None,
        interval_95=None,
        level=None,
        test=None if noise is None else PairedTest.T,
        p=None if noise is None else noise.p(difference),
        p_adjusted=None,
        p_equivalent=_p_equivalent(difference, noise, settings.least) if runs.is_rate else None,
        bounds=None,
        verdict=Verdict.NOT_SEPARATED,
        items_needed=NOTHING_NEEDED,
        planned_level=ALPHA,
        reason=reason,
        metric=runs.metric,
        seeds=(len(first), len(second)),
        paired=paired,
        covers=runs.covers,
    )
    return pair, noise


def _noise(runs: ConditionRuns, a: str, b: str, *, paired: bool) -> tuple[CrossedNoise | None, str]:
    first, second = runs.table(a), runs.table(b)
    if min(len(first), len(second)) < 2:
        few = [name for name, table in ((a, first), (b, second)) if len(table) < 2]
        return None, f"{ONE_SEED}: {' and '.join(few)} {'has' if len(few) == 1 else 'have'} one"
    clusters = _sources(runs)
    noise = crossed_noise(first - second, clusters) if paired else crossed_difference(first, second, clusters)
    if noise.variance > 0 and not _is_rounding(noise, first, second):
        return noise, ""
    if paired and np.ptp(first - second) <= _ROUNDING and np.ptp(first) > 0:
        return None, "the difference is the same at every seed, so there is no noise to hold it against"
    return None, NO_VARIATION


def _is_rounding(noise: CrossedNoise, first: F64, second: F64) -> bool:
    largest = max(float(np.abs(first).max()), float(np.abs(second).max()))
    return noise.variance <= (_ROUNDING * largest) ** 2


def _sources(runs: ConditionRuns) -> Clusters | None:
    return runs.clusters if runs.items else None


def _p_equivalent(difference: float, noise: CrossedNoise | None, sesoi: float) -> float | None:
    """Two one-sided tests: the larger p, that of the margin which the difference is nearer to."""
    if noise is None:
        return None
    room = sesoi - abs(difference)
    return noise.tail(room) if room >= 0 else 1 - noise.tail(-room)


def _with_interval(
    pair: ConditionPair,
    noise: CrossedNoise | None,
    adjusted: float | None,
    equivalent: float | None,
    level: float | None,
    alpha: float,
) -> ConditionPair:
    if noise is None or level is None or pair.difference is None or pair.p is None:
        return pair
    rejects = adjusted is not None and adjusted <= alpha
    return replace(
        pair,
        p_adjusted=adjusted,
        p_equivalent=equivalent,
        level=level,
        interval=_interval(pair.difference, noise, level, excludes=rejects),
        interval_95=_interval(pair.difference, noise, OUTSIDE_95, excludes=pair.p <= OUTSIDE_95),
    )


def _interval(difference: float, noise: CrossedNoise, level: float, *, excludes: bool) -> Interval:
    half = noise.margin(level / 2)
    low, high = difference - half, difference + half
    if not excludes:
        low, high = min(low, 0.0), max(high, 0.0)
    return Interval(low, high)


def _seeds_needed(pair: ConditionPair, noise: CrossedNoise | None, level: float, power: float) -> int | None:
    """Seeds of each with which margin and luck together are no more than the difference.

    Luck is the standard error times the normal quantile of the power: of few seeds a little too hopeful.
    """
    if noise is None or not pair.difference:
        return None
    n_seeds, luck, gap = min(pair.seeds), float(ndtri(power)), abs(pair.difference)

    def enough(seeds: int) -> bool:
        then = noise.with_runs(seeds, n_seeds)
        return bool(then.margin(level / 2) + luck * then.variance**0.5 <= gap)

    # More seeds never leave more open, so the first number that is enough is found by bisection.
    needed = 2 + bisect_left(range(2, _MOST_SEEDS + 1), True, key=enough)
    return needed if needed <= _MOST_SEEDS else None


def _mean(values: Runs) -> float:
    return fsum(values.values()) / len(values)


_PAIR = TypeAdapter(ConditionPair)


def condition_record(compared: ConditionComparison) -> dict[str, Any]:
    """Give conditions compared as JSON, in the form of `to_json`; seeds stand where items do there."""
    record = to_json(compared.comparison)
    for family in (compared.comparison.primary, compared.comparison.secondary):
        if family is not None:
            pairs = [condition_pair_record(pair) for pair in family.pairs if isinstance(pair, ConditionPair)]
            record["primary" if isinstance(family, Primary) else "secondary"]["pairs"] = pairs
    return record


def condition_pair_record(pair: ConditionPair) -> dict[str, Any]:
    """Give a pair of conditions as it stands there; ``test`` is ``t``, paired by seed or Welch's."""
    read: dict[str, Any] = _PAIR.dump_python(pair, mode="json")
    return read
