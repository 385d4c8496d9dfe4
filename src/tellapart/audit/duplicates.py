"""Items on which all models behave alike more often than chance would explain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, ndtr

from tellapart.core.arrays import F64, I32, I64
from tellapart.core.stats import benjamini_hochberg

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
    """Sort items by their mean score."""
    scored = codes >= 0
    means = np.where(scored, codes, 0).sum(axis=0, dtype=np.int64) / scored.sum(axis=0)
    levels, level, sizes = np.unique(means, return_inverse=True, return_counts=True)
    starts = _bin_starts(np.cumsum(sizes))
    occurring = np.zeros(STEPS + 1, dtype=bool)
    occurring[codes[scored]] = True
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
    """Estimate how many items are like an item by chance."""
    shares = np.array([_shares(behaviour, m, items) for m in range(len(behaviour.codes))])
    # Logarithms, for the product over many models is smaller than any double.
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
    scored = codes >= 0
    shares, has = np.ones(len(items)), scored[items]
    keys = behaviour.bins * (STEPS + 1) + codes
    in_bin = np.bincount(behaviour.bins[scored], minlength=len(behaviour.edges) - 1)
    shares[has] = _counts(keys[scored], keys[items[has]]) / in_bin[behaviour.bins[items[has]]]
    return shares


def _counts(values: NDArray[np.generic], sought: NDArray[np.generic]) -> I64:
    """Count how often each sought value occurs; each occurs at least once."""
    distinct, counts = np.unique(values, return_counts=True)
    return np.asarray(counts[np.searchsorted(distinct, sought)] if len(sought) else counts[:0])


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
        # An item is not evidence for itself, hence the -1; those like it are: relatives share rare scores.
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


CHANCE_SHARE = 0.05
"""Share of the items like a first one that chance may be expected to bring, at most, for duplicates."""

FALSE_FINDS = 0.05
"""Expected share of coincidences among the groups of items that are called duplicates."""


@dataclass(frozen=True)
class _Groups:
    """Items with the same vector of scores.

    Attributes:
        of: Shape (items,), the group of each.
        first: Shape (groups,), the first item of each.
        sizes: Shape (groups,), items in each.
    """

    of: I64
    first: I64
    sizes: I64


def first_alike(scores: F64) -> I64:
    """Find items that repeat an earlier one in behaviour.

    Items are alike where every model has the same score on both, or on neither. With few models, or scores
    of 0 and 1, most of that is coincidence, so alike items count only where chance has next to no part in it:
    where, given the first, it brings at most ``CHANCE_SHARE`` of the others, and where the Poisson
    probability of as many others passes Benjamini and Hochberg's procedure over all different vectors.

    What to expect is worked out among items of about the same mean score, at least 50 and a thirty-second of
    all, in which each model draws from its own scores; given their sum where few sums are possible, else
    given that the mean falls among theirs. Sums are taken for normal. Because related models go wrong
    together, models also draw one after another along the tree of the most alike, each given its neighbour's
    score; the greater expectation counts. A missing score counts as certain. Models of a family that next to
    never differ can still make a coincidence look like a copy, and few models or easy items hide copies.

    Source:
        Chow and Liu 1968, "Approximating discrete probability distributions with dependence trees", with
        correlations within bins in place of mutual information. The rule is our own.
    """
    twin = np.full(scores.shape[1], -1, dtype=np.int64)
    codes = _codes(scores)
    places = np.flatnonzero(_varied(codes))
    if not len(places):
        return twin
    varied = behaviour(codes[:, places])
    groups = _groups(varied.codes)
    is_duplicate = (benjamini_hochberg(_p(varied, groups)) <= FALSE_FINDS)[groups.of]
    twin[places[is_duplicate]] = places[groups.first[groups.of[is_duplicate]]]
    twin[places[groups.first]] = -1
    return twin


def _codes(scores: F64) -> I32:
    # Whole numbers compare exactly, where means of the same scores may differ in the last bit.
    scored = ~np.isnan(scores)
    if not scored.any():
        return np.full(scores.shape, -1, dtype=np.int32)
    low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
    step = (high - low) / STEPS or 1.0
    return np.where(scored, np.rint((scores - low) / step), -1.0).astype(np.int32)


def _varied(codes: I32) -> NDArray[np.bool_]:
    highest = codes.max(axis=0, initial=-1)
    lowest = np.where(codes < 0, STEPS, codes).min(axis=0, initial=STEPS)
    return np.asarray(highest > lowest, dtype=bool)


def _groups(codes: I32) -> _Groups:
    """Group items by a hash of their vectors; an item whose vector only shares the hash stands alone."""
    _, first, of = np.unique(_hashes(codes), return_index=True, return_inverse=True)
    alone = np.flatnonzero((codes != codes[:, first[of]]).any(axis=0))
    of[alone] = len(first) + np.arange(len(alone))
    first = np.concatenate([first, alone])
    return _Groups(of, first, np.bincount(of, minlength=len(first)))


def _hashes(codes: I32) -> NDArray[np.uint64]:
    # The constants of splitmix64, a model at a time; what only shares a hash is parted in `_groups`.
    mixed = np.full(codes.shape[1], 0x9E3779B97F4A7C15, dtype=np.uint64)
    for row in codes:
        mixed = (mixed ^ row.astype(np.uint64)) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _p(varied: Behaviour, groups: _Groups) -> F64:
    """Probability of so many items like the first of a group; 1 for one alone and where many are expected."""
    p = np.ones(len(groups.first))
    k = np.flatnonzero(groups.sizes > 1)
    if len(k):
        others = groups.sizes[k] - 1
        most: F64 = CHANCE_SHARE * others.astype(np.float64)
        expected = expected_alike(varied, groups.first[k], most)
        p[k] = np.where(expected <= most, gammainc(others, np.minimum(expected, most)), 1.0)
    return p
