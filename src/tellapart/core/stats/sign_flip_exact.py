"""The whole distribution of a sum whose terms' signs are flipped, where it can be had."""

from __future__ import annotations

import math

import numpy as np

from tellapart.core.compiled import compiled
from tellapart.core.stats.samples import F64, I64

_ENUMERATED = 16
_DENOMINATORS = 100
_STEPS = 2**20
_NEAR = 1e-9


def exact_p(terms: F64) -> float | None:
    """Give the share of all ways to flip signs whose absolute sum is at least that of the terms.

    Up to 16 terms all ways are gone through. More are counted by sum where the terms are multiples of a
    common unit, as cluster sums of right and wrong answers or of grades are: multiples of 1/1 to 1/100 to
    within 1e-9 of it, of which there are at most 2^20 / terms.

    Args:
        terms: Shape (k,), finite, none of them 0, k >= 1.

    Returns:
        In (0, 1], and 1 from 1 - 1e-12 on; sums closer than 1e-9 of a unit, or 1e-11 of the greatest sum, are
        equal. None where the terms are too many and have no unit.

    Source:
        Pagano and Tritchler 1983, "On obtaining permutation distributions in polynomial time", for the
        counting.
    """
    multiples = _multiples(terms)
    if multiples[0]:
        multiples //= math.gcd(*multiples.tolist())
        if len(terms) * np.abs(multiples).sum() <= _STEPS:
            return float(_counted(multiples))
    return float(_gone_through(terms)) if len(terms) <= _ENUMERATED else None


@compiled()
def _multiples(terms: F64) -> I64:
    """The terms over their largest common unit of 1/1 to 1/100; zeros where they have none."""
    multiples = np.zeros(len(terms), np.int64)
    for denominator in range(1, _DENOMINATORS + 1):
        fits = True
        for term in terms:
            scaled = term * denominator
            if abs(scaled) > _STEPS or abs(scaled - round(scaled)) > _NEAR or round(scaled) == 0:
                fits = False
                break
        if fits:
            for i in range(len(terms)):
                multiples[i] = round(terms[i] * denominator)
            break
    return multiples


@compiled()
def _counted(multiples: I64) -> float:
    """Share of flips by the sum of those terms that come out positive."""
    total, observed = np.abs(multiples).sum(), abs(multiples.sum())
    shares = np.zeros(total + 1)
    shares[0], reach = 1.0, 0
    for signed in multiples:
        size = abs(signed)
        reach += size
        for j in range(reach, size - 1, -1):
            shares[j] = (shares[j] + shares[j - size]) / 2
        for j in range(size):
            shares[j] /= 2
    p = 0.0
    for positive in range(total + 1):
        if abs(2 * positive - total) >= observed:
            p += shares[positive]
    return p if p < 1 - 1e-12 else 1.0


@compiled()
def _gone_through(terms: F64) -> float:
    """Share of flips, one sign changing at a time; the last term keeps its sign, for sums come in pairs."""
    scale = 2.0**50 / np.abs(terms).sum()
    units = np.empty(len(terms), np.int64)
    for i in range(len(terms)):
        units[i] = round(terms[i] * scale)
    least = abs(units.sum()) - 2**14
    total, extreme = units.sum(), 0
    ways = 1 << (len(units) - 1)
    for way in range(1, ways + 1):
        extreme += abs(total) >= least
        flipped = 0
        while way >> flipped & 1 == 0:
            flipped += 1
        if way < ways:
            units[flipped] = -units[flipped]
            total += 2 * units[flipped]
    return extreme / ways
