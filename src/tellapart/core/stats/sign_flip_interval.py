"""The interval that the sign-flip test accepts, from the means of subsets of the clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F64, I64
from tellapart.core.estimate import Interval

_ENUMERATED = 14
_LEAST_DRAWS = 10_000
_MOST_DRAWS = 200_000
_CHUNK = 64
_ROWS = 1024
_PILOT = 4096
_GREATEST = 2.0**50
_TIE = 2.0**14

_WORDS = 4

Wanted: TypeAlias = Sequence[tuple[float, bool]]
"""Levels, and whether the test rejects at them."""

_Subsets: TypeAlias = NDArray[np.uint64]
"""Shape (subsets, words): a bit for each cluster, the first the lowest."""


def sign_flip_intervals(
    scores: F64,
    clusters: I64,
    pairs: Sequence[tuple[int, int]],
    wanted: Sequence[Wanted],
    *,
    rng: np.random.Generator,
    tail: int = 10,
    on_pairs: Callable[[int], object] = bool,
) -> list[list[Interval | None]]:
    """Invert the sign-flip test of `sign_flip_p`: the differences that it would not reject.

    The test of a difference d flips the signs of the cluster sums of (a - b - d). A flip is as extreme as
    what was observed exactly where d lies between the mean difference of the clusters that keep their sign
    and that of the clusters that change it. So d is rejected where at most a share ``level`` of all subsets
    has such a mean on its far side, and both ends are order statistics of subset means. Up to 14 clusters all
    subsets are gone through; more are drawn, from 10,000 to 200,000 so that ``tail`` lie beyond the end.

    Args:
        scores: Shape (models, n), as are clusters and pairs those of `sign_flip_p`.
        clusters: Shape (n,).
        pairs: At most 256 clusters have items with both scores.
        wanted: For each pair the two-sided levels, in (0, 1), at which an interval is wanted, each with
            whether the test rejects no difference there. Its p may rest on other draws, or on none; where an
            end would contradict it, the end is the nearest subset mean on the side of 0 that the test says,
            or 0.
        rng: Draws the subsets, the same for all pairs.
        tail: Draws on which the end at the smallest level is to rest.
        on_pairs: Called now and then with how many pairs are done.

    Returns:
        For each pair an interval for each level, of confidence 1 - level; None where there are too few
        clusters, or draws, for any difference to be rejected at that level.

    Source:
        Hartigan 1969, "Using subsample values as typical values"; for the inversion, Tritchler 1984, "On
        inverting permutation tests".
    """
    sums, sizes = _by_cluster(scores, clusters, pairs)
    most = int(np.count_nonzero(sizes, axis=1).max(initial=0))
    drawn = _drawn_subsets(wanted, rng, tail) if most > _ENUMERATED else _all_subsets(0)
    alike: dict[bytes, list[int]] = {}
    for k in range(len(pairs)):
        alike.setdefault((sizes[k] > 0).tobytes(), []).append(k)
    intervals: list[list[Interval | None]] = [[] for _ in pairs]
    done = 0
    for places in alike.values():
        used = sizes[places[0]] > 0
        n_clusters = int(np.count_nonzero(used))
        whole = n_clusters <= _ENUMERATED
        subsets = _all_subsets(n_clusters) if whole else drawn
        for start in range(0, len(places), _CHUNK):
            chunk = places[start : start + _CHUNK]
            of_chunk = sums[chunk][:, used], sizes[chunk][:, used], [wanted[k] for k in chunk]
            for k, of_pair in zip(chunk, _ends(*of_chunk, subsets, whole=whole), strict=True):
                intervals[k] = of_pair
            done += len(chunk)
            on_pairs(done)
    return intervals


def _by_cluster(scores: F64, clusters: I64, pairs: Sequence[tuple[int, int]]) -> tuple[F64, F64]:
    """Sums of a - b, and numbers of items, by pair and cluster."""
    used, clusters = np.unique(clusters, return_inverse=True)
    n_clusters = len(used)
    sums, sizes = np.zeros((len(pairs), n_clusters)), np.zeros((len(pairs), n_clusters))
    for k, (a, b) in enumerate(pairs):
        gaps = scores[a] - scores[b]
        present = ~np.isnan(gaps)
        sums[k] = np.bincount(clusters[present], weights=gaps[present], minlength=n_clusters)
        sizes[k] = np.bincount(clusters[present], minlength=n_clusters)
    return sums, sizes


def _drawn_subsets(wanted: Sequence[Wanted], rng: np.random.Generator, tail: int) -> _Subsets:
    smallest = min(level for of_pair in wanted for level, _ in of_pair)
    draws = int(min(_MOST_DRAWS, max(_LEAST_DRAWS, math.ceil(tail / smallest))))
    return rng.integers(0, 2**64, size=(draws, _WORDS), dtype=np.uint64)


def _all_subsets(n: int) -> _Subsets:
    """Every way to keep or change n signs, but that the last is kept: a subset and the rest say the same."""
    last = 1 << max(0, n - 1)
    return (np.arange(last, dtype=np.uint64) | np.uint64(last))[:, None]


def _ends(
    sums: F64, sizes: F64, wanted: Sequence[Wanted], subsets: _Subsets, *, whole: bool
) -> list[list[Interval | None]]:
    """Intervals of several pairs from the same subsets; ``whole`` where these are all that there are."""
    bits = subsets.astype("<u8").view(np.uint8)
    # Powers of two keep whole scores exact, and integers add up to the same in any order.
    totals = np.abs(sums).sum(axis=1)
    scales = np.exp2(np.floor(np.log2(_GREATEST / np.where(totals > 0, totals, 1.0))))
    units = np.rint(sums * scales[:, None])
    # Where no score is missing, the numbers of items are those of the first pair.
    sized = sizes[:1] if (sizes == sizes[0]).all() else sizes
    of_kept, n_kept = np.empty((len(units), len(bits))), np.empty((len(sized), len(bits)))
    for start in range(0, len(bits), _ROWS):
        some = bits[start : start + _ROWS]
        rows = np.unpackbits(some, axis=1, count=sums.shape[1], bitorder="little").astype(np.float64)
        of_kept[:, start : start + _ROWS] = units @ rows.T
        n_kept[:, start : start + _ROWS] = sized @ rows.T
    return [
        _of_pair(
            of_kept[k], n_kept[k % len(sized)], units[k].sum(), sizes[k].sum(), scales[k], of_pair, whole
        )
        for k, of_pair in enumerate(wanted)
    ]


def _of_pair(
    of_kept: F64, n_kept: F64, total: float, size: float, scale: float, wanted: Wanted, whole: bool
) -> list[Interval | None]:
    low, high = _means(of_kept, n_kept, total, size, not whole)
    ranks = [math.floor(level * len(low) + 1e-9) for level, _ in wanted]
    lows, highs = _ranked(low, ranks), -_ranked(-high, ranks)
    intervals: list[Interval | None] = []
    for (_, rejects), *both in zip(wanted, lows, highs, strict=True):
        ends = float(both[0]), float(both[1])
        if rejects and ends[0] <= 0 <= ends[1]:
            beyond = low[low > 0] if total > 0 else -high[high < 0]
            nearest = float(beyond.min(initial=np.inf))
            ends = (nearest, ends[1]) if total > 0 else (ends[0], -nearest)
        elif not rejects:
            ends = min(ends[0], 0.0), max(ends[1], 0.0)
        intervals.append(Interval(ends[0] / scale, ends[1] / scale) if np.isfinite(ends).all() else None)
    return intervals


def _ranked(values: F64, ranks: list[int]) -> F64:
    """The values at some low ranks, from the lowest, 0."""
    if len(values) > 2 * _PILOT:
        # All that are wanted are below what is safely above the last of them.
        pilot = np.partition(
            values[:_PILOT], least := min(_PILOT - 1, 2 * max(ranks) * _PILOT // len(values) + 9)
        )
        below = values[values <= pilot[least]]
        values = below if len(below) > max(ranks) else values
    return np.asarray(np.partition(values, ranks)[ranks])


def _means(of_kept: F64, n_kept: F64, total: float, size: float, drawn: bool) -> tuple[F64, F64]:
    """The lower and the upper one of the means of each subset and of the rest.

    A flip of all signs or of none is as extreme under every difference, and where subsets are drawn the one
    that was observed counts as well.
    """
    of_changed = total - of_kept
    with np.errstate(divide="ignore", invalid="ignore"):
        kept, changed = of_kept / n_kept, of_changed / (size - n_kept)
    kept[np.abs(of_kept) <= _TIE] = 0.0
    changed[np.abs(of_changed) <= _TIE] = 0.0
    low, high = np.minimum(kept, changed), np.maximum(kept, changed)
    at_an_end = (n_kept == 0) | (n_kept == size)
    low[at_an_end], high[at_an_end] = -np.inf, np.inf
    return (np.append(low, -np.inf), np.append(high, np.inf)) if drawn else (low, high)
