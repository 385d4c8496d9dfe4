"""Items that all models behave the same on, where that is not to be put down to chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc

from tellapart.audit.coincidence import I32, STEPS, Behaviour, behaviour, expected_alike
from tellapart.core.score_grid import F64, I64
from tellapart.core.stats import benjamini_hochberg

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


def twins(scores: F64) -> I64:
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

    Args:
        scores: Shape (models, items), NaN for missing; equal to half a 720,720th of their range is equal.

    Returns:
        Shape (items,), the place of the first item that is alike, or -1. Items on which all models have the
        same score have none.

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
    found = (benjamini_hochberg(_p(varied, groups)) <= FALSE_FINDS)[groups.of]
    twin[places[found]] = places[groups.first[groups.of[found]]]
    twin[places[groups.first]] = -1
    return twin


def _codes(scores: F64) -> I32:
    known = ~np.isnan(scores)
    if not known.any():
        return np.full(scores.shape, -1, dtype=np.int32)
    low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
    step = (high - low) / STEPS or 1.0
    return np.where(known, np.rint((scores - low) / step), -1.0).astype(np.int32)


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
