"""Two systems by another ruler than the scores of the verdict: who is ahead there, without a test."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, TypeAlias

from tellapart.codesearch.case import Case
from tellapart.codesearch.comparing.pooling import Pool, PoolMeasure
from tellapart.core.stats import mean_once

Record: TypeAlias = dict[str, Any]

_TIE = 1e-12
_ENDS = ("low", "high")


def by_ruler(
    systems: Sequence[str], of: PoolMeasure, cases: Sequence[Sequence[Case]], pools: Sequence[Pool]
) -> Record:
    """Measure all systems against what is known together, conversation by conversation.

    Args:
        systems: Names, at least two.
        of: The measure.
        cases: By system and conversation, the same conversations for all.
        pools: One a conversation.

    Returns:
        ``systems``: of each the ``mean`` over the ``conversations`` that it has a value on, and its
        ``bounds`` over files without a verdict; the mean is None where these differ. ``pairs``: see `_pair`.
    """
    places = combinations(range(len(systems)), 2)
    return {
        "systems": {system: _mean(of, own, pools) for system, own in zip(systems, cases, strict=True)},
        "pairs": [_pair(systems[a], systems[b], of, cases[a], cases[b], pools) for a, b in places],
    }


def _mean(of: PoolMeasure, cases: Sequence[Case], pools: Sequence[Pool]) -> Record:
    scores = [of.score(*each) for each in zip(cases, pools, strict=True)]
    bounds = [mean_once([end for one in scores if (end := getattr(one, at)) is not None]) for at in _ENDS]
    return {
        "mean": mean_once([one.value for one in scores if one.value is not None])
        if bounds[0] == bounds[1]
        else None,
        "bounds": bounds,
        "conversations": sum(one.value is not None for one in scores),
    }


def _pair(
    a: str, b: str, of: PoolMeasure, cases_a: Sequence[Case], cases_b: Sequence[Case], pools: Sequence[Pool]
) -> Record:
    """Compare two systems on the conversations that both have a value on.

    Returns:
        ``difference``, mean of a - b, None where files without a verdict could change it; its ``bounds`` over
        these; and who is ``ahead``: None for a tie, without a conversation, and where the bounds reach to
        both sides, which is ``open``.
    """
    gaps, ends = [], []
    for one, other, pool in zip(cases_a, cases_b, pools, strict=True):
        of_a, of_b = of.score(one, pool).value, of.score(other, pool).value
        if of_a is not None and of_b is not None:
            gaps.append(of_a - of_b)
        ends.append(of.gap_bounds(one, other, pool))
    low, high = (mean_once([end for of_one in ends if (end := of_one[k]) is not None]) for k in (0, 1))
    sure = low is not None and high is not None and high - low <= _TIE
    gap = mean_once(gaps) if sure else None
    ahead = a if low is not None and low > _TIE else b if high is not None and high < -_TIE else None
    return {
        "a": a,
        "b": b,
        "difference": gap,
        "bounds": [low, high],
        "conversations": len(gaps),
        "ahead": ahead,
        "open": ahead is None and not sure and low is not None,
    }
