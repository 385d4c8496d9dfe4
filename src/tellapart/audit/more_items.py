"""More items: of the same kinds, of the kind that separates best, or of another difficulty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from scipy.special import chdtrc

from tellapart.audit.evidence import Evidence, KindGap, SideBySide
from tellapart.audit.planning import Plan
from tellapart.audit.results import Action, Fix
from tellapart.audit.scale_ends import at_half
from tellapart.core.arrays import F64
from tellapart.core.comparison import PairComparison, is_difference
from tellapart.core.stats import Discordant
from tellapart.report.numbers import plural

FEWEST_ITEMS = 20
"""Of a kind, below which nothing is planned from it."""

NEARLY_ALL = 0.9
"""A kind that holds more than this share of the items is all of them by another name."""

WORTH_IT = 0.7
"""A kind is advised that needs at most this share of the items that all kinds together need."""

BY_CHANCE = 0.05
"""Chance, over all columns, that kinds which are alike are taken to differ, in each of two respects."""


@dataclass(frozen=True)
class PlannedKind:
    """A kind of items on which a pair differs more than on others.

    Attributes:
        square: Mean of (a - b)^2 that is planned for.
        needed: Items of this kind that would separate the pair with the planned power.
    """

    seen: KindGap
    gap: float
    square: float
    needed: int
    plan: Plan


def best_kind(seen: SideBySide, plan: Plan, levels: Mapping[str, float]) -> PlannedKind | None:
    """Find the kind of items that separates a pair with the fewest.

    The best of several kinds is partly so by luck, so a kind's own gap is not taken at its word. Planned with
    is how far apart the two are on its items, whichever is ahead, times the balance: the gap as a share of
    that distance. The balance of models that differ in ability alone is the same on easy and on hard items
    (in Rasch's model exactly, for scores of 0 and 1). So each kind's is drawn to that of all items, the more,
    the less evidence its items give. Distances and balances that differ between kinds no more than chance
    would have it are those of all items, wholly. Items of small kinds, and of none, count among all.
    """
    whole = plan.items()
    if plan.settles or whole is None or seen.parts is None:
        return None
    columns = [list(column) for _, column in groupby(seen.kinds, key=lambda kind: kind.column)]
    kinds = [
        kind
        for column in columns
        for kind in _planned(column, plan, seen, BY_CHANCE / len(columns), levels[column[0].column])
    ]
    worth_it = [kind for kind in kinds if kind.needed <= WORTH_IT * whole]
    return min(worth_it, key=lambda kind: kind.needed, default=None)


def _planned(
    kinds: Sequence[KindGap], plan: Plan, seen: SideBySide, chance: float, level: float
) -> list[PlannedKind]:
    every = seen.whole
    large = [kind for kind in kinds if kind.n >= FEWEST_ITEMS]
    # Items of small kinds count in what all kinds are compared with, or the pooled values would be off.
    groups = [*large, *_others(large, every)]
    if len(groups) < 2 or not every.distance:
        return []
    n, gap, distance, square = (
        np.array([getattr(group, name) for group in groups]) for name in ("n", "gap", "distance", "square")
    )
    spread = max(every.square - every.distance**2, 0.0) * plan.design_effect / n
    if not _differ(distance, spread, chance):
        distance, square = np.full(len(n), every.distance), np.full(len(n), every.square)
    gaps = distance * _balances(n, gap, distance, square, every, plan.design_effect, chance)
    planned = []
    for kind, own_gap, own_square in zip(large, gaps.tolist(), square.tolist(), strict=False):
        leads = kind.gap * every.gap > 0 or _significant(kind, plan)
        if not leads or kind.gap * own_gap <= 0 or kind.n > NEARLY_ALL * every.n:
            continue
        variance = max(0.0, own_square - own_gap**2) * (1.0 if plan.exact else kind.n / (kind.n - 1))
        kind_plan = replace(plan, gap=abs(own_gap), variance=variance)
        needed = replace(kind_plan, level=level).items() if kind_plan.gap >= plan.least else None
        if needed is not None:
            planned.append(PlannedKind(kind, own_gap, own_square, needed, kind_plan))
    return planned


def _others(large: Sequence[KindGap], every: KindGap) -> list[KindGap]:
    """The items that are in no kind large enough to be planned from, as one."""
    n = every.n - sum(kind.n for kind in large)
    if not n:
        return []
    gap, distance, square = (
        (every.n * getattr(every, name) - sum(kind.n * getattr(kind, name) for kind in large)) / n
        for name in ("gap", "distance", "square")
    )
    return [KindGap(every.column, every.value, n, gap, max(0.0, distance), max(0.0, square))]


def _balances(
    n: F64, gap: F64, distance: F64, square: F64, every: KindGap, design_effect: float, chance: float
) -> F64:
    """Draw each kind's balance to that of all by empirical Bayes; wholly where they differ but by chance.

    Source:
        DerSimonian and Laird 1986, "Meta-analysis in clinical trials", for the variance between kinds, its
        test by Cochran's Q. The noise of each is that under the balance of all, for a kind on which one is
        always ahead would seem to have none.
    """
    pooled = every.gap / every.distance
    drawn: F64 = np.full(len(n), pooled)
    differ = distance > 0
    balance = gap[differ] / distance[differ]
    noise = np.maximum(square[differ] / distance[differ] ** 2 - pooled**2, 1e-12) * design_effect / n[differ]
    if not _differ(balance, noise, chance):
        return drawn
    weights = 1 / noise
    mean = (weights * balance).sum() / weights.sum()
    excess = (weights * np.square(balance - mean)).sum() - (len(balance) - 1)
    between = max(0.0, excess / (weights.sum() - np.square(weights).sum() / weights.sum()))
    drawn[differ] += between / (between + noise) * (balance - pooled)
    return drawn


def _differ(values: F64, noise: F64, chance: float) -> bool:
    """Whether values of known noise (their variances) differ by more than chance, by Cochran's Q."""
    if len(values) < 2:
        return False
    weights = 1 / np.maximum(noise, 1e-12)
    mean = (weights * values).sum() / weights.sum()
    return bool(chdtrc(len(values) - 1, (weights * np.square(values - mean)).sum()) <= chance)


def _significant(kind: KindGap, plan: Plan) -> bool:
    """Whether one model leads on a kind by itself, at the level of the next claim."""
    discordant = None
    if plan.exact:
        discordant = Discordant(*(round(kind.n * (kind.distance + sign * kind.gap) / 2) for sign in (1, -1)))
    variance = (kind.square - kind.gap**2) * plan.design_effect / max(1, kind.n - 1)
    return is_difference(kind.gap, variance, discordant, plan.level)


def first_items(pair: PairComparison) -> Fix:
    """Ask for what a plan takes at least: two items that both have scores on, from two sources."""
    if pair.n > 1:
        cost, what = 1, "1 item from another source"
    else:
        cost = 2 - pair.n
        what = plural(cost, "further item") + (", the same ones" if cost > 1 else "")
    text = f"Give {pair.a} and {pair.b} at least {what}; only then can the number be estimated."
    return Fix(action=Action.ADD_ITEMS, cost_items=cost, text=text)


def add_items(pair: PairComparison, seen: SideBySide, plan: Plan, limits: tuple[float, float]) -> list[Fix]:
    """Add items like those that there are; nothing where no number would do."""
    if seen.parts is None:
        return []
    needed, outcome = plan.items(), plan.outcome(pair)
    if plan.settles and needed is not None and needed <= pair.n:
        difference = pair.difference or 0.0
        outcome = f"separate {pair.a} and {pair.b} or show that they are equivalent, if they differ as seen"
        needed = (
            plan.items_without_variance(difference, limits[1] - limits[0])
            if seen.alike
            else plan.items_as_seen(difference)
        )
    if needed is None:
        return []
    extra = max(0, needed - pair.n)
    text = f"{_plus(extra)} like these, {needed:,} in all, would {outcome}{_beside(pair, plan)}."
    return [Fix(action=Action.ADD_ITEMS, cost_items=extra, text=text)]


def add_items_like(pair: PairComparison, seen: SideBySide, plan: Plan, kind: PlannedKind | None) -> list[Fix]:
    """Add items of the kind that separates best to all that there are; nothing where that is dearer."""
    if kind is None or seen.parts is None or not pair.difference or kind.gap * pair.difference < 0:
        return []
    whole = plan.items()
    most = kind.needed + pair.n if whole is None else whole - pair.n
    extra = _fewest_added(pair, plan.variance, kind, most)
    if extra is None:
        return []
    text = f"{_plus(extra)} like `{kind.seen.value}`, beside the {pair.n:,}, would {kind.plan.outcome(pair)}."
    return [
        Fix(
            action=Action.ADD_ITEMS,
            cost_items=extra,
            cost_replicates=0,
            text=text,
            stratum=(kind.seen.column, kind.seen.value),
        )
    ]


def use_stratum(pair: PairComparison, plan: Plan, kind: PlannedKind | None) -> list[Fix]:
    """Compare on nothing but the kind of items that separates best."""
    if kind is None:
        return []
    whole = plan.items()
    extra = max(0, kind.needed - kind.seen.n)
    ahead = pair.a if kind.gap > 0 else pair.b
    instead = "" if whole is None else f", instead of {whole:,} of all kinds,"
    lead, planned = plan.scale.size(kind.seen.gap), plan.scale.size(kind.gap)
    drawn = (
        ""
        if lead == planned
        else f"; {planned} is assumed for planning, closer to the difference on all items"
    )
    there = f"; there are {kind.seen.n:,}" + (f", so {extra:,} more" if extra else "")
    text = (
        f"`{kind.seen.value}` separates most per item ({ahead} leads by {lead} there{drawn}): "
        f"{plural(kind.needed, 'item')} of this kind alone{instead} would "
        f"{kind.plan.outcome(pair)}{there}."
    )
    return [
        Fix(
            action=Action.USE_STRATUM,
            cost_items=extra,
            cost_replicates=0,
            text=text,
            stratum=(kind.seen.column, kind.seen.value),
        )
    ]


def other_items(pair: PairComparison, seen: SideBySide, plan: Plan, evidence: Evidence) -> list[Fix]:
    """Write harder items for models at the ceiling, easier ones for models at the floor; see `at_half`."""
    low, high = evidence.grid.limits
    span = high - low
    gap, differing = at_half(seen, low, high)
    rescaled = replace(plan, gap=max(gap * span, plan.least), settles=gap * span < plan.least)
    needed = rescaled.items(max(0.0, differing - gap * gap) * span**2)
    if needed is None:
        return []
    at_ceiling = seen.mean_a + seen.mean_b > low + high
    action, word = (Action.HARDER_ITEMS, "harder") if at_ceiling else (Action.EASIER_ITEMS, "easier")
    worth = (
        ""
        if rescaled.settles
        else f": the same difference in ability is worth {rescaled.scale.size(rescaled.gap)} there"
    )
    text = (
        f"{plural(needed, f'{word} item')}, of which {pair.a} and {pair.b} get about half right, would on "
        f"their own {rescaled.outcome(pair)}{worth}."
    )
    return [Fix(action=action, cost_items=needed, text=text)]


def _fewest_added(pair: PairComparison, variance: float, kind: PlannedKind, most: int) -> int | None:
    """Find the fewest items of a kind, up to ``most``, with which all together separate the pair."""
    low, high = 0, most
    if most < 1 or not _enough(pair, variance, kind, most):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if _enough(pair, variance, kind, middle):
            high = middle
        else:
            low = middle
    return high


def _enough(pair: PairComparison, variance: float, kind: PlannedKind, added: int) -> bool:
    n = pair.n + added
    seen = pair.difference or 0.0
    gap = (pair.n * seen + added * kind.gap) / n
    squares = (pair.n * (variance + seen**2) + added * (kind.square)) / n
    needed = kind.plan.items(max(0.0, squares - gap * gap), gap=gap)
    return needed is not None and needed <= n


def _beside(pair: PairComparison, plan: Plan) -> str:
    """Write what separating a pair would take where something else is planned for."""
    if not plan.settles or not pair.difference or pair.items_needed is None:
        return ""
    seen = plan.scale.size(pair.difference)
    return f"; to separate them, if they differ by the {seen} seen, would take {pair.items_needed:,}"


def _plus(extra: int) -> str:
    return f"+{extra:,} {'item' if extra == 1 else 'items'}"
