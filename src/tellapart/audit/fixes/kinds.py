"""Which kind of items separates a pair with the fewest of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from tellapart.audit.planning import Plan
from tellapart.audit.side_by_side import KindGap, SideBySide
from tellapart.core.score_grid import F64

FEWEST_ITEMS = 20
"""Of a kind, below which nothing is planned from it."""

WORTH_IT = 0.7
"""A kind is advised that needs at most this share of the items that all kinds together need."""


@dataclass(frozen=True)
class Kind:
    """A kind of items on which a pair differs more than on others.

    Attributes:
        seen: What was seen of it.
        gap: That is planned for, a - b.
        needed: Items of this kind that would separate the pair with the planned power.
        plan: By which.
    """

    seen: KindGap
    gap: float
    needed: int
    plan: Plan


def best_kind(seen: SideBySide, plan: Plan) -> Kind | None:
    """Find the kind of items that separates a pair with the fewest.

    The best of several kinds is partly so by luck, so a kind's own gap is not taken at its word. Planned with
    is how far apart the two are on its items, whichever is ahead, times the balance: the gap as a share of
    that distance. The balance of models that differ in ability alone is the same on easy and on hard items
    (in Rasch's model exactly, for scores of 0 and 1). So each kind's is drawn to that of all, the more the
    less its items say, and wholly where the kinds differ no more than chance would have it.

    Args:
        seen: The pair's scores.
        plan: What all kinds together are planned for.

    Returns:
        None where no kind needs at most ``WORTH_IT`` of the items that all together need.
    """
    whole = plan.items(seen.parts.variance) if seen.parts else None
    found: list[Kind] = []
    for _, column in groupby(seen.kinds, key=lambda kind: kind.column):
        found += _planned(list(column), plan, seen)
    found = [kind for kind in found if whole is None or kind.needed <= WORTH_IT * whole]
    return min(found, key=lambda kind: kind.needed, default=None)


def _planned(kinds: Sequence[KindGap], plan: Plan, seen: SideBySide) -> list[Kind]:
    kinds = [kind for kind in kinds if kind.n >= FEWEST_ITEMS and kind.distance]
    if not kinds or seen.parts is None:
        return []
    n, gap, distance, variance = (
        np.array([getattr(kind, name) for kind in kinds]) for name in ("n", "gap", "distance", "variance")
    )
    # Where one is always ahead by the same, the balance is as uncertain as with one item like all the others.
    noise = (variance * (n - 1) + seen.parts.variance) / n * plan.design_effect / n
    pooled = (n * gap).sum() / (n * distance).sum()
    gaps = distance * _drawn_together(gap / distance, noise / np.square(distance), pooled)
    planned = []
    for kind, own_gap in zip(kinds, gaps.tolist(), strict=True):
        own = replace(plan, gap=abs(own_gap), settles=False)
        needed = own.items(kind.variance) if own.gap >= plan.least else None
        if needed is not None:
            planned.append(Kind(kind, own_gap, needed, own))
    return planned


def _drawn_together(balance: F64, noise: F64, pooled: float) -> F64:
    """Draw each kind's balance to the pooled one by empirical Bayes.

    Source:
        DerSimonian and Laird 1986, "Meta-analysis in clinical trials", for the variance between kinds.
    """
    weights = 1 / noise
    mean = (weights * balance).sum() / weights.sum()
    excess = (weights * np.square(balance - mean)).sum() - (len(balance) - 1)
    freedom = weights.sum() - np.square(weights).sum() / weights.sum()
    between = max(0.0, excess / freedom) if freedom > 0 else 0.0
    drawn: F64 = pooled + between / (between + noise) * (balance - pooled)
    return drawn
