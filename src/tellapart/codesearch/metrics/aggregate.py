"""Measures over conversations: means as documented, ratios of sums, their bounds and intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tellapart.codesearch.case import Case
from tellapart.codesearch.metrics.conversation import (
    JUDGE,
    MEASURES,
    Measure,
    Share,
    documented,
    unjudged,
)
from tellapart.core.randomness import generator
from tellapart.core.stats import BootstrapEstimate, Interval, bca, clustered_mean, mean_once

SEED = 42
"""Of the resamples, where nobody names another."""

WITHOUT_VERDICTS = "verdicts are missing"
"""Why there are bounds, and no value with an interval."""

Figures = dict[str, Any]


def aggregate(cases: Sequence[Case]) -> Figures:
    """The documented block: means over conversations, to three decimals."""
    return {**_documented(cases), "conversations_evaluated": len(cases)}


def by_product_area(cases: Sequence[Case]) -> Figures:
    """The documented block of each product area, in ascending order of names."""
    return {area: {**_documented(own), "count": len(own)} for area, own in areas_of(cases).items()}


def areas_of(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """The cases of each product area, areas in ascending order."""
    by_area: dict[str, list[Case]] = {}
    for case in cases:
        by_area.setdefault(case.conversation.product_area, []).append(case)
    return dict(sorted(by_area.items()))


def measures(cases: Sequence[Case], *, seed: int = SEED) -> Figures:
    """All measures over conversations.

    Args:
        cases: In any order, which changes nothing.
        seed: Of the resamples; the same cases have the same ones, be they all or an area that is everything.

    Returns:
        By measure: ``macro``, the mean over ``conversations`` that have a value, and ``micro``, the ratio of
        sums over the same. Both are None where a verdict is missing that they rest on: then they stand
        as ``macro_complete`` and ``micro_complete``, over the conversations without such a verdict, which are
        no sample of all. ``bounds``, also ``low`` and ``high``, hold the macro over what missing verdicts and
        explorations could have said; ``micro_bounds`` the micro, over conversations whose files are known.
        ``interval`` and ``micro_interval`` are 95 % BCa bootstrap intervals that resample conversations, a
        ratio's whole numerators and denominators with them; ``t_interval`` of the macro is Student's, cut to
        [0, 1], for the few conversations with which resampling sees too little; with ``_complete`` they are
        those of the complete conversations. None with a reason beside it where there is none. ``missing``
        counts conversations without a value by cause.
    """
    return {name: _over(name, cases, seed) for name in MEASURES}


def measured(cases: Iterable[Case], name: str) -> list[Measure]:
    """One measure of each case, in order; without a value in any where nothing at all was judged.

    Conversations that need no verdict are known even then, but are no sample of the others.
    """
    cases = list(cases)
    found = [MEASURES[name](case) for case in cases]
    if name.endswith("_union") or not never_judged(cases):
        return found
    return [Measure(one.least, one.most, one.missing or JUDGE) for one in found]


def never_judged(cases: Iterable[Case]) -> bool:
    """Whether files would need a verdict, and in no conversation was any put to the judge."""
    in_need = [case for case in cases if case.our_unique]
    return bool(in_need) and all(map(unjudged, in_need))


def as_pair(interval: Interval | None) -> list[float] | None:
    """An interval as ``[low, high]``."""
    return None if interval is None else [interval.low, interval.high]


def _documented(cases: Sequence[Case]) -> dict[str, float | None]:
    if never_judged(cases):
        return {"precision": None, "recall": None}
    means = {}
    for name in ("precision", "recall"):
        values = [documented(case, name) for case in cases]
        means[name] = rounded(mean_once([value for value in values if value is not None]))
    return means


def rounded(value: float | None) -> float | None:
    """To three decimals, as documented."""
    return None if value is None else round(value, 3)


def _over(name: str, cases: Sequence[Case], seed: int) -> Figures:
    found = measured(cases, name)
    known = [one for one in found if one.value is not None]
    values = [one.value for one in known if one.value is not None]
    shares = [one.least for one in known if one.least is not None]
    macro = bca(values, rng=generator(seed, "codesearch", name, "macro"))
    micro = _micro(shares, generator(seed, "codesearch", name, "micro"))
    student = clustered_mean(sorted(values)).interval
    complete = {
        "macro": mean_once(values),
        "micro": _ratio(shares),
        "interval": as_pair(macro.interval),
        "t_interval": None if student is None else [max(0.0, student.low), min(1.0, student.high)],
        "micro_interval": as_pair(micro.interval),
    }
    open_ = any(one.missing == JUDGE for one in found)
    whole = dict.fromkeys(complete) if open_ else complete
    bounds = [
        mean_once([end for one in found if (end := getattr(one, of)) is not None]) for of in ("low", "high")
    ]
    return {
        **whole,
        "interval_reason": WITHOUT_VERDICTS if open_ else macro.reason,
        "micro_interval_reason": WITHOUT_VERDICTS if open_ else micro.reason,
        "bounds": bounds,
        "low": bounds[0],
        "high": bounds[1],
        "micro_bounds": [_ratio(one.least for one in found), _ratio(one.most for one in found)],
        **{f"{of}_complete": figure for of, figure in complete.items()},
        "conversations": len(values),
        "missing": dict(sorted(Counter(one.missing for one in found if one.missing).items())),
    }


def _micro(shares: Sequence[Share], rng: np.random.Generator) -> BootstrapEstimate:
    """A ratio of sums is the mean over files, each 1 or 0, of which a conversation's are drawn together."""
    parts, wholes = (np.array([getattr(one, of) for one in shares], dtype=int) for of in ("part", "whole"))
    hits = np.repeat(np.tile([1.0, 0.0], len(shares)), np.column_stack([parts, wholes - parts]).ravel())
    return bca(hits, clusters=np.repeat(np.arange(len(shares)), wholes), rng=rng)


def _ratio(shares: Iterable[Share | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return Share(sum(share.part for share in known), sum(share.whole for share in known)).value
