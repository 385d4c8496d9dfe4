"""Which kind of items separates a pair with the fewest of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from scipy.special import chdtrc

from tellapart.audit.planning import Plan
from tellapart.audit.side_by_side import KindGap, SideBySide
from tellapart.core.comparison import is_difference
from tellapart.core.score_grid import F64
from tellapart.core.stats import Discordant

FEWEST_ITEMS = 20
"""Of a kind, below which nothing is planned from it."""

NEARLY_ALL = 0.9
"""A kind that holds more than this share of the items is all of them by another name."""

WORTH_IT = 0.7
"""A kind is advised that needs at most this share of the items that all kinds together need."""

BY_CHANCE = 0.05
"""Chance, over all columns, that kinds which are alike are taken to differ, in each of two respects."""


@dataclass(frozen=True)
class Kind:
    """A kind of items on which a pair differs more than on others.

    Attributes:
        seen: What was seen of it.
        gap: That is planned for, a - b.
        square: Mean of (a - b)^2 that is planned for.
        needed: Items of this kind that would separate the pair with the planned power.
        plan: By which.
    """

    seen: KindGap
    gap: float
    square: float
    needed: int
    plan: Plan


def best_kind(seen: SideBySide, plan: Plan, levels: Mapping[str, float]) -> Kind | None:
    """Find the kind of items that separates a pair with the fewest.

    The best of several kinds is partly so by luck, so a kind's own gap is not taken at its word. Planned with
    is how far apart the two are on its items, whichever is ahead, times the balance: the gap as a share of
    that distance. The balance of models that differ in ability alone is the same on easy and on hard items
    (in Rasch's model exactly, for scores of 0 and 1). So each kind's is drawn to that of all items, the more
    the less its items say. Distances and balances that differ between kinds no more than chance would have it
    are those of all items, wholly. Items of small kinds, and of none, count among all.

    Args:
        seen: The pair's scores.
        plan: What all kinds together are planned for.
        levels: By column, Holm's level of the next claim over all of its kinds, at which the items of one
            kind alone are planned; as everywhere else, so that one pair and kind have one number.

    Returns:
        None where no kind needs at most ``WORTH_IT`` of the items that all together need; where these are
        planned to settle a difference that does not matter, which no kind does sooner in the same sense; and
        where the other model leads on the kind, unless that is significant by itself.
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
) -> list[Kind]:
    every = seen.whole
    large = [kind for kind in kinds if kind.n >= FEWEST_ITEMS]
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
    found = []
    for kind, own_gap, own_square in zip(large, gaps.tolist(), square.tolist(), strict=False):
        leads = kind.gap * every.gap > 0 or _significant(kind, plan)
        if not leads or kind.gap * own_gap <= 0 or kind.n > NEARLY_ALL * every.n:
            continue
        variance = max(0.0, own_square - own_gap**2) * (1.0 if plan.exact else kind.n / (kind.n - 1))
        own = replace(plan, gap=abs(own_gap), variance=variance)
        needed = replace(own, level=level).items() if own.gap >= plan.least else None
        if needed is not None:
            found.append(Kind(kind, own_gap, own_square, needed, own))
    return found


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
    told = distance > 0
    balance = gap[told] / distance[told]
    noise = np.maximum(square[told] / distance[told] ** 2 - pooled**2, 1e-12) * design_effect / n[told]
    if not _differ(balance, noise, chance):
        return drawn
    weights = 1 / noise
    mean = (weights * balance).sum() / weights.sum()
    excess = (weights * np.square(balance - mean)).sum() - (len(balance) - 1)
    between = max(0.0, excess / (weights.sum() - np.square(weights).sum() / weights.sum()))
    drawn[told] += between / (between + noise) * (balance - pooled)
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
