"""How many items chance makes alike, over models that differ and go wrong together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from tellapart.core.score_grid import F64, I64

I32 = NDArray[np.int32]

STEPS = 720_720
"""Of the range of the scores: halves, thirds and so on up to sixteenths are all whole numbers of them."""

_BIN_ITEMS = 50
_MOST_BINS = 32
_LIKENESS_ITEMS = 20_000

# Sums are few where they lie this share of their standard deviation apart, and scores have no more levels.
_FEW_SUMS = 0.1
_MOST_LEVELS = 1_000

# What a model's own rate is worth, in items, beside its rate given another model's score.
_OWN_RATE_ITEMS = 5.0


@dataclass(frozen=True)
class Behaviour:
    """What every model did on the items on which not all did the same.

    Attributes:
        codes: Shape (models, items), scores in steps, at least 0; -1 for missing.
        means: Shape (items,), over the known scores, in steps.
        bins: Shape (items,), from 0, ascending with the means; equal means are in one bin.
        edges: Shape (bins + 1,), the means between which the bins lie.
        spacing: Steps of which every score is a multiple.
    """

    codes: I32
    means: F64
    bins: I64
    edges: F64
    spacing: int


def behaviour(codes: I32) -> Behaviour:
    """Sort items by their mean score.

    Args:
        codes: Shape (models, items) with an item or more, and two different scores on each.
    """
    known = codes >= 0
    means = np.where(known, codes, 0).sum(axis=0, dtype=np.int64) / known.sum(axis=0)
    levels, level, sizes = np.unique(means, return_inverse=True, return_counts=True)
    starts = _bin_starts(np.cumsum(sizes))
    occurring = np.zeros(STEPS + 1, dtype=bool)
    occurring[codes[known]] = True
    return Behaviour(
        codes=codes,
        means=means,
        bins=np.searchsorted(starts, np.arange(len(levels)), side="right")[level],
        edges=np.concatenate([[-np.inf], (levels[starts - 1] + levels[starts]) / 2, [np.inf]]),
        spacing=int(np.gcd.reduce(np.flatnonzero(occurring))),
    )


def _bin_starts(up_to: I64) -> I64:
    """First level of every bin but the lowest, from the number of items up to each level."""
    items = int(up_to[-1])
    least = max(_BIN_ITEMS, -(-items // _MOST_BINS))
    starts: list[int] = []
    below = 0
    while True:
        last = int(np.searchsorted(up_to, below + least))
        if last >= len(up_to) or items - int(up_to[last]) < least:
            return np.array(starts, dtype=np.int64)
        starts.append(last + 1)
        below = int(up_to[last])


def expected_alike(behaviour: Behaviour, items: I64, most: F64) -> F64:
    """Say how many items chance makes like an item.

    Args:
        behaviour: Of all items.
        items: Shape (groups,), places of items.
        most: Shape (groups,), expectations above which one is not looked into further, and may be too low.

    Returns:
        Shape (groups,), under the rule of `duplicates.twins`.
    """
    shares = np.array([_shares(behaviour, m, items) for m in range(len(behaviour.codes))])
    strata = _log_strata(behaviour, items)
    expected = np.exp(strata + np.log(shares).sum(axis=0))
    rare = np.flatnonzero(expected <= most)
    if len(rare):
        along = _log_along_tree(behaviour, items[rare], shares[:, rare])
        expected[rare] = np.maximum(expected[rare], np.exp(strata[rare] + along))
    return np.asarray(expected)


def _shares(behaviour: Behaviour, model: int, items: I64) -> F64:
    """Share of the model's scores in the item's bin that are as on the item; 1 where it has none."""
    codes = behaviour.codes[model]
    known = codes >= 0
    shares, has = np.ones(len(items)), known[items]
    keys = behaviour.bins * (STEPS + 1) + codes
    in_bin = np.bincount(behaviour.bins[known], minlength=len(behaviour.edges) - 1)
    shares[has] = _counts(keys[known], keys[items[has]]) / in_bin[behaviour.bins[items[has]]]
    return shares


def _counts(values: NDArray[np.generic], asked: NDArray[np.generic]) -> I64:
    """How often each value that is asked for occurs; all that are occur."""
    known, counts = np.unique(values, return_counts=True)
    return np.asarray(counts[np.searchsorted(known, asked)] if len(asked) else counts[:0])


def _log_strata(behaviour: Behaviour, items: I64) -> F64:
    """Log of how many items are like an item in sum or bin, less the log of the probability that one is."""
    at, scored = behaviour.bins[items], (behaviour.codes[:, items] >= 0).sum(axis=0)
    mean, sd = _moments(behaviour, items)
    low, high = (behaviour.edges[ends] * scored for ends in (at, at + 1))
    # An item in the bin is proof that its probability is not next to nothing.
    probability = np.maximum(ndtr((high - mean) / sd) - ndtr((low - mean) / sd), 1e-3)
    like = np.bincount(behaviour.bins)[at]
    # Where sums are so few that each has a probability to speak of, like is the same sum.
    few = (behaviour.spacing >= _FEW_SUMS * sd) & (scored == len(behaviour.codes))
    if STEPS // behaviour.spacing <= _MOST_LEVELS:
        like = np.where(few, _counts(behaviour.means, behaviour.means[items]), like)
        sums = np.rint(behaviour.means[items] * scored / behaviour.spacing).astype(np.int64)
        for k in np.unique(at[few]).tolist():
            here = few & (at == k)
            probability[here] = _sum_probabilities(behaviour, k)[sums[here]]
    return np.asarray(np.log(like) - np.log(probability))


def _sum_probabilities(behaviour: Behaviour, k: int) -> F64:
    """Shape (multiples of the spacing,), of each sum if every model draws from its own scores in bin k."""
    inside = behaviour.codes[:, behaviour.bins == k]
    sums = np.ones(1)
    for codes in inside:
        counts = np.bincount(codes[codes >= 0] // behaviour.spacing, minlength=1)
        sums = np.convolve(sums, counts / max(int(counts.sum()), 1))
    return np.concatenate([sums, np.zeros(len(inside) * (STEPS // behaviour.spacing) + 1 - len(sums))])


def _moments(behaviour: Behaviour, items: I64) -> tuple[F64, F64]:
    """Mean and standard deviation of a sum of scores that each model draws from its own in the item's bin."""
    mean, variance = np.zeros(len(items)), np.zeros(len(items))
    for codes in behaviour.codes:
        means, squares = _bin_moments(behaviour, codes)
        has, at = codes[items] >= 0, behaviour.bins[items]
        mean += np.where(has, means[at], 0.0)
        variance += np.where(has, squares[at], 0.0)
    return mean, np.sqrt(np.maximum(variance, 1.0))


def _bin_moments(behaviour: Behaviour, codes: I32) -> tuple[F64, F64]:
    bins, values = behaviour.bins[codes >= 0], codes[codes >= 0].astype(np.float64)
    size = len(behaviour.edges) - 1
    n = np.maximum(np.bincount(bins, minlength=size), 1)
    means = np.bincount(bins, weights=values, minlength=size) / n
    return means, np.bincount(bins, weights=np.square(values - means[bins]), minlength=size) / n


def _log_along_tree(behaviour: Behaviour, items: I64, shares: F64) -> F64:
    """Log of the probability of the items' scores, each model's given its neighbour's; shapes (groups,)."""
    logs = np.log(shares[0])
    for model, neighbour in _tree(_likeness(behaviour)):
        codes, given = behaviour.codes[model], behaviour.codes[neighbour]
        both = (codes >= 0) & (given >= 0)
        has = both[items]
        share = shares[model].copy()
        outer = behaviour.bins * (STEPS + 1) + given
        inner = outer * (STEPS + 1) + codes
        # An item is no evidence for itself; those like it are, for families of models share rare scores.
        given_there = _counts(outer[both], outer[items[has]]) - 1
        alike = _counts(inner[both], inner[items[has]]) - 1
        share[has] = (alike + _OWN_RATE_ITEMS * share[has]) / (given_there + _OWN_RATE_ITEMS)
        logs += np.log(share)
    return np.asarray(logs)


def _likeness(behaviour: Behaviour) -> F64:
    """Shape (models, models), correlations about the bins' means, over a part of the items."""
    some = slice(None, None, -(-behaviour.codes.shape[1] // _LIKENESS_ITEMS))
    rows = []
    for codes in behaviour.codes:
        means, _ = _bin_moments(behaviour, codes)
        rows.append(np.where(codes >= 0, codes - means[behaviour.bins], 0.0)[some] / STEPS)
    deviations = np.array(rows)
    products = np.einsum("mi,ni->mn", deviations, deviations)
    lengths = np.sqrt(np.maximum(np.diagonal(products), np.finfo(np.float64).tiny))
    return np.asarray(products / lengths / lengths[:, None])


def _tree(likeness: F64) -> list[tuple[int, int]]:
    """Prim's tree of the greatest likeness, from the first model: (model, neighbour nearer to the first)."""
    nearest = np.zeros(len(likeness), dtype=np.int64)
    best = likeness[0].copy()
    best[0] = -np.inf
    edges = []
    for _ in range(len(likeness) - 1):
        model = int(np.argmax(best))
        edges.append((model, int(nearest[model])))
        nearer = (likeness[model] > best) & (best > -np.inf)
        best[nearer], nearest[nearer] = likeness[model][nearer], model
        best[model] = -np.inf
    return edges
