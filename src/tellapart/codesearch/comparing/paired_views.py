"""Every two systems by one measure, conversation by conversation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from tellapart.codesearch.case import Case
from tellapart.codesearch.comparing.pooling import Pool, PoolMeasure
from tellapart.core.stats import holm_known, mean_once, paired_difference, sign_flip_p
from tellapart.core.stats.paired import FEW
from tellapart.core.stats.samples import F64

Record: TypeAlias = dict[str, Any]

BOUNDS = "files without a verdict could turn the order round"
"""Why the order of two systems is withheld."""

_TIE = 1e-12


def view_record(
    systems: Sequence[str],
    of: PoolMeasure,
    cases: Sequence[Sequence[Case]],
    pools: Sequence[Sequence[Pool]],
    rng: np.random.Generator,
) -> Record:
    """Compare all systems by one measure on some conversations.

    Args:
        systems: Names, at least two.
        of: The measure.
        cases: By system and conversation, the same conversations for all.
        pools: What each case is measured against.
        rng: Of the sign flips, where they are too many to count.

    Returns:
        ``systems``: of each the ``mean`` over the ``conversations`` that it has a value on, and its
        ``bounds`` over files without a verdict. ``pairs``: see `_pair`; ``p`` is that of flipping signs of
        conversations (Student's t from ``FEW`` on), ``p_holm`` corrected over the pairs.
    """
    scores = [[of.score(*each) for each in zip(*own, strict=True)] for own in zip(cases, pools, strict=True)]
    values = np.array([[one.value for one in own] for own in scores], dtype=np.float64)
    places = list(combinations(range(len(systems)), 2))
    pairs = [_pair(systems[a], systems[b], values[a], values[b]) for a, b in places]
    if values.shape[1] < FEW:
        flipped = sign_flip_p(values, np.arange(values.shape[1]), places, rng=rng)
        for pair, p in zip(pairs, flipped.tolist(), strict=True):
            pair["p"] = p if pair["conversations"] else None
    corrected = holm_known([pair["p"] for pair in pairs])
    for pair, (a, b), p in zip(pairs, places, corrected, strict=True):
        each = zip(cases[a], pools[a], cases[b], pools[b], strict=True)
        pair |= {"p_holm": p, **_bounds([of.gap_bounds(*one) for one in each])}
    return {
        "systems": {
            system: {
                "mean": mean_once([one.value for one in own if one.value is not None]),
                "bounds": _means([(one.low, one.high) for one in own]),
                "conversations": sum(one.value is not None for one in own),
            }
            for system, own in zip(systems, scores, strict=True)
        },
        "pairs": pairs,
    }


def _pair(a: str, b: str, values_a: F64, values_b: F64) -> Record:
    """Compare two systems on the conversations that both have a value on.

    Returns:
        ``difference``, mean of a - b, its 95 % interval ``low`` to ``high`` by Student's t over
        conversations, and the ``reason`` where there is none; ``leader``, None for a tie and without a
        conversation; and what `_bounds` gives.
    """
    found = paired_difference(values_a, values_b)
    gap = found.difference
    leader = None if gap is None or abs(gap) <= _TIE else (a if gap > 0 else b)
    return {
        "a": a,
        "b": b,
        "difference": gap,
        "low": found.interval.low if found.interval else None,
        "high": found.interval.high if found.interval else None,
        "reason": found.reason,
        "p": found.p_clustered,
        "conversations": found.n,
        "leader": leader,
    }


def _bounds(ends: Sequence[tuple[float | None, float | None]]) -> Record:
    """``bounds`` over files without a verdict; ``withheld``, a reason, where they reach to both sides."""
    low, high = _means(ends)
    turned = low is not None and high is not None and low < -_TIE and high > _TIE
    return {"bounds": [low, high], "withheld": BOUNDS if turned else None}


def _means(ends: Sequence[tuple[float | None, float | None]]) -> list[float | None]:
    lows, highs = ([one[k] for one in ends] for k in (0, 1))
    return [mean_once([end for end in own if end is not None]) for own in (lows, highs)]
