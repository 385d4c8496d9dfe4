"""When the score of one evaluation fell over runs of the same items, whenever its history is looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import log

import numpy as np

from tellapart.core.arrays import F64, I64
from tellapart.core.comparison.effects import PairedEffect, paired_effect
from tellapart.core.comparison_settings import ALPHA
from tellapart.core.stats.intervals import Clusters, cluster_codes

_TILTS = np.geomspace(0.01, 16, 32)
"""Where Chernoff's bound is looked for, over the range of a cluster; any of them gives a valid one."""


@dataclass(frozen=True)
class Drop:
    """A lasting fall of the mean score.

    Attributes:
        run: Place of the first run after it, as far as the scores show.
        found: Place of the run that showed it.
        change: Mean over the items of the score after it minus that before, each over runs up to ``found``.
    """

    run: int
    found: int
    change: PairedEffect


def drops(scores: F64, clusters: Clusters | None = None, *, alpha: float = ALPHA) -> tuple[Drop, ...]:
    """Find the runs at which the mean score of a model fell.

    After every run, the latest 1, 2, 4, 8, … runs are held against all of those since the last drop. Where
    nothing changes, the answers to an item are as likely in any other order of the runs: the chance that such
    a window has so low a sum is bounded over all orders, for any scores and however rare failures are. The
    tests of a window of 2^j runs share ``alpha / ((j + 1) (j + 2))``, and the k-th has ``1 / (k (k + 1))`` of
    that, so that a history in which nothing changes shows a drop with a chance of at most ``alpha``, however
    long it becomes.

    Scores have shape (runs, items), in the order of the runs; NaN is missing, and counts as the item's mean.
    What all answers of a run share, such as a bad day of a provider, is a change like any other.

    Source:
        Hoeffding 1963, "Probability inequalities for sums of bounded random variables", section 6: a bound
        for sums drawn with replacement holds for those drawn without. Foster and Stine 2008, "α-investing",
        for spending a level over tests without end.
    """
    asked = ~np.isnan(scores).all(axis=0)
    known = scores[:, asked]
    if not known.size:
        return ()
    filled = np.where(np.isnan(known), np.nanmean(known, axis=0), known)
    codes, _ = cluster_codes(clusters, scores.shape[1])
    _, of_item = np.unique(codes[asked], return_inverse=True)
    sums: F64 = np.stack([np.bincount(of_item, weights=run) for run in filled]).astype(np.float64)
    sums -= sums.mean(axis=0)
    return tuple(
        Drop(run, found, _change(known[start:run], known[run : found + 1], of_item))
        for start, run, found in _found(sums, alpha)
    )


def _found(sums: F64, alpha: float) -> Iterator[tuple[int, int, int]]:
    """Of each drop the first run that it is held against, the first after it, and the one that shows it."""
    reach = float(np.ptp(sums, axis=0).max())
    if reach == 0:
        return
    tilts, totals = _TILTS / reach, sums.sum(axis=1)
    start, tests, tilted = 0, Counter[int](), np.zeros((len(tilts), sums.shape[1]))
    for run, of_run in enumerate(sums):
        tilted += np.exp(-np.outer(tilts, of_run))
        there = run + 1 - start
        bounds = np.log(tilted / there).sum(axis=1)
        is_found = False
        for j, window in enumerate(2**j for j in range(there.bit_length() - 1)):
            if there % max(1, window // 2):
                continue
            tests[window] += 1
            level = alpha / ((j + 1) * (j + 2)) / (tests[window] * (tests[window] + 1))
            low = totals[run + 1 - window : run + 1].sum()
            is_found |= bool((window * bounds + tilts * low).min() <= log(level))
        if is_found:
            first = start + _split(totals[start : run + 1])
            yield start, first, run
            start = first
            tilted = np.exp(-tilts[:, None, None] * sums[start : run + 1]).sum(axis=1)


def _split(totals: F64) -> int:
    """Where the mean before is highest above the mean after, for what both would vary by chance."""
    n = len(totals)
    before = np.arange(1, n)
    ahead = np.cumsum(totals)[:-1] - before * totals.mean()
    return int(before[np.argmax(ahead / np.sqrt(before * (n - before)))])


def _change(before: F64, after: F64, clusters: I64) -> PairedEffect:
    least = float(np.nanmin([np.nanmin(before), np.nanmin(after)]))
    range_ = float(np.nanmax([np.nanmax(before), np.nanmax(after)])) - least
    a, b = (_means(runs - least) / range_ for runs in (after, before))
    effect = paired_effect(a, b, clusters=clusters)
    value, low, high = (end and end * range_ for end in (effect.value, effect.low, effect.high))
    return PairedEffect(value, low, high, effect.n, effect.reason, p=effect.p)


def _means(runs: F64) -> F64:
    """Mean of each item over the runs that have it; NaN without any."""
    counts = (~np.isnan(runs)).sum(axis=0)
    return np.where(counts, np.nansum(runs, axis=0) / np.maximum(counts, 1), np.nan)
