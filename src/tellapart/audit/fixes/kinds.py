"""Which kind of items separates a pair with the fewest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from tellapart.audit.planning import Plan
from tellapart.audit.side_by_side import KindGap, SideBySide
from tellapart.core.score_grid import F64

FEWEST_ITEMS = 10
"""Of a kind, below which nothing is planned from it."""

WORTH_IT = 0.8
"""A kind is advised that needs at most this share of the items that all kinds together need."""


@dataclass(frozen=True)
class Kind:
    """A kind of items on which a pair differs more than on others.

    Attributes:
        seen: What was seen of it; its variance and, drawn to the mean of all kinds, its gap are planned with.
        gap: That gap.
        variance: That variance.
        needed: Items of this kind that would separate the pair with the planned power.
        plan: By which.
    """

    seen: KindGap
    gap: float
    variance: float
    needed: int
    plan: Plan


def best_kind(seen: SideBySide, plan: Plan) -> Kind | None:
    """Find the kind of items that separates a pair with the fewest.

    The best of several kinds is partly so by luck. So the gap of each is drawn to the mean of the column's
    kinds, the more the less its items say (DerSimonian and Laird's variance between kinds, empirical Bayes);
    where the kinds differ no more than chance would have it, none is best.

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
    kinds = [kind for kind in kinds if kind.n >= FEWEST_ITEMS]
    if len(kinds) < 2 or seen.parts is None:
        return []
    n = np.array([kind.n for kind in kinds])
    # A kind on which the two never differ is known no better than with one item like all the others.
    variance = (np.array([kind.variance for kind in kinds]) * (n - 1) + seen.parts.variance) / n
    gaps = _drawn_together(np.array([kind.gap for kind in kinds]), variance * plan.design_effect / n)
    if gaps is None:
        return []
    planned = []
    for kind, gap, spread in zip(kinds, gaps.tolist(), variance.tolist(), strict=True):
        if abs(gap) < plan.least:
            continue
        own = replace(plan, gap=abs(gap), settles=False)
        needed = own.items(spread)
        if needed is not None:
            planned.append(Kind(kind, gap, spread, needed, own))
    return planned


def _drawn_together(gaps: F64, noise: F64) -> F64 | None:
    """Draw each gap to their mean; None where chance alone accounts for what they differ by.

    Source:
        DerSimonian and Laird 1986, "Meta-analysis in clinical trials", for the variance between kinds.
    """
    if not (noise > 0).all():
        return None
    weights = 1 / noise
    mean = (weights * gaps).sum() / weights.sum()
    excess = (weights * np.square(gaps - mean)).sum() - (len(gaps) - 1)
    between = excess / (weights.sum() - np.square(weights).sum() / weights.sum())
    if between <= 0:
        return None
    drawn: F64 = mean + between / (between + noise) * (gaps - mean)
    return drawn
