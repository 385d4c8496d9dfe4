"""Similarities of pairs of vectors in double precision, with sums in one order on any machine."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numba import prange
from numpy.typing import ArrayLike

from tellapart.core.arrays import F32, F64, I32, I64
from tellapart.core.compiled import compiled
from tellapart.core.figure_units import VECTOR_SIMILARITIES
from tellapart.embed.cosine import checked_pairs, runs_of

COSINE_CODE, _DOT, _EUCLIDEAN, _MANHATTAN = range(len(VECTOR_SIMILARITIES))

_TIE = 2.0**-50
"""Of the scale of two similarities: what rounding can put between equal ones when sums have none."""


def vector_pairs(
    left: F32, right: F32, left_index: ArrayLike, right_index: ArrayLike, similarity: str
) -> F64:
    """Similarities of chosen pairs of rows.

    Each is a sum in double precision, always in the same order and on one core, and products of single
    precision have no rounding there: so these have the same bits on any processor and with any number of
    threads. They are some four times slower than the cosines of ``unit_cosines``.
    """
    first, second = checked_pairs(left, right, left_index, right_index)
    runs = runs_of(first)
    values = np.empty(len(first))
    _vector_pairs(left, right, first[runs[:-1]], second, runs, code_of(similarity), values)
    return values


def code_of(similarity: str) -> int:
    """The number by which the compiled loops know a similarity."""
    return VECTOR_SIMILARITIES.index(similarity)


def settle_near_ties(
    scores: F64,
    offsets: I64,
    left: F32,
    right: F32,
    left_index: I64,
    right_index: I64,
    similarity: str,
    bound: float,
) -> None:
    """Decide, for each lineup, what rounding cannot: which of nearly equal options is above which.

    Options that are within ``bound`` of the first one, or of the best of the others, are computed anew from
    sums without rounding. Of these, two that differ by at most 2**-50 of their scale tie, and get the same
    score: that is what the last roundings in double precision can put between equal ones. The scale of
    cosines is 1, that of inner products the product of the lengths, that of distances the larger distance.
    """
    _settle(scores, offsets, left, right, left_index, right_index, code_of(similarity), bound)


def settle_near_ties_of_queries(
    scores: F64,
    options: I64,
    offsets: I64,
    queries: I64,
    left: F32,
    right: F32,
    left_index: I64,
    right_index: I64,
    similarity: str,
    bound: float,
) -> None:
    """Decide for queries of several lineups which options are above a right answer and which tie with it.

    Where another option is within ``bound`` of a right answer, both are computed anew, as in
    ``settle_near_ties``. Neighbours among them that differ by at most 2**-50 of their scale tie. Queries of
    one lineup stay as they are.

    Args:
        options: Of the same shape: which option each is.
    """
    code = code_of(similarity)
    _settle_queries(scores, options, offsets, queries, left, right, left_index, right_index, code, bound)


def sum_bound(left: F32, right: F32, similarity: str) -> float:
    """How far a value of ``vector_pairs`` is at most from the similarity, by the rounding of its sum."""
    code = code_of(similarity)
    first, second = _longest(left, code), _longest(right, code)
    scale = first * second if code == _DOT else first + second
    return float((left.shape[1] / 4 + 8) * 2.0**-53 * scale)


@compiled(parallel=True)
def _vector_pairs(
    left: F32, right: F32, left_rows: I64, right_index: I64, runs: I64, code: int, values: F64
) -> None:
    """Run i owns the pairs from ``runs[i]`` to ``runs[i + 1]``, all with the row ``left_rows[i]``."""
    for run in prange(len(left_rows)):
        row = left[left_rows[run]]
        for pair in range(runs[run], runs[run + 1]):
            values[pair] = vector_pair(row, right[right_index[pair]], code)


@compiled()
def vector_pair(left: F32 | I32, right: F32 | I32, code: int) -> float:
    """One value of ``vector_pairs``, to the bit."""
    if code == COSINE_CODE:
        scale = np.sqrt(_sum(left, left, _DOT) * _sum(right, right, _DOT))
        return min(max(_sum(left, right, _DOT) / scale, -1.0), 1.0) if scale > 0 else 0.0
    return _finished(_sum(left, right, code), code)


@compiled()
def _finished(total: float, code: int) -> float:
    if code == _DOT:
        return total
    return -np.sqrt(total) if code == _EUCLIDEAN else -total


@compiled()
def _term(x: float, y: float, code: int) -> float:
    if code == _DOT:
        return x * y
    gap = x - y
    return gap * gap if code == _EUCLIDEAN else abs(gap)


@compiled()
def _sum(a: F32 | I32, b: F32 | I32, code: int) -> float:
    # Four sums side by side, so that no addition waits for the one before it.
    s, t, u, v = 0.0, 0.0, 0.0, 0.0
    whole = len(a) - len(a) % 4
    for j in range(0, whole, 4):
        s += _term(np.float64(a[j]), np.float64(b[j]), code)
        t += _term(np.float64(a[j + 1]), np.float64(b[j + 1]), code)
        u += _term(np.float64(a[j + 2]), np.float64(b[j + 2]), code)
        v += _term(np.float64(a[j + 3]), np.float64(b[j + 3]), code)
    for j in range(whole, len(a)):
        s += _term(np.float64(a[j]), np.float64(b[j]), code)
    return (s + t) + (u + v)


@compiled()
def _exact_sum(a: F32, b: F32, code: int) -> float:
    """The sum of the terms, rounded once: what each addition loses is kept and added at the end.

    Source: Ogita, Rump and Oishi, "Accurate Sum and Dot Product", SIAM J. Sci. Comput. 26 (2005), Sum2.
    """
    total, lost = 0.0, 0.0
    for j in range(len(a)):
        term = _term(np.float64(a[j]), np.float64(b[j]), code)
        larger = total + term
        back = larger - total
        lost += (total - (larger - back)) + (term - back)
        total = larger
    return total + lost


@compiled()
def _exact_pair(left: F32, right: F32, code: int) -> tuple[float, float]:
    """A similarity and its scale."""
    if code in (_EUCLIDEAN, _MANHATTAN):
        value = _finished(_exact_sum(left, right, code), code)
        return value, -value
    length = np.sqrt(_exact_sum(left, left, _DOT) * _exact_sum(right, right, _DOT))
    product = _exact_sum(left, right, _DOT)
    if code == _DOT:
        return product, length
    return (min(max(product / length, -1.0), 1.0) if length > 0 else 0.0), 1.0


@compiled(parallel=True)
def _settle(
    scores: F64,
    offsets: I64,
    left: F32,
    right: F32,
    left_index: I64,
    right_index: I64,
    code: int,
    bound: float,
) -> None:
    for lineup in prange(len(offsets) - 1):
        start, stop = offsets[lineup], offsets[lineup + 1]
        first, best = scores[start], -np.inf
        near_first = 0
        for option in range(start + 1, stop):
            best = max(best, scores[option])
            near_first += abs(scores[option] - first) <= bound
        near_best = 0
        for option in range(start + 1, stop):
            near_best += best - scores[option] <= bound
        if near_first or near_best > 1:
            _settle_lineup(scores, start, stop, left, right, left_index, right_index, code, bound)


@compiled()
def _settle_lineup(
    scores: F64,
    start: int,
    stop: int,
    left: F32,
    right: F32,
    left_index: I64,
    right_index: I64,
    code: int,
    bound: float,
) -> None:
    first, best = scores[start], -np.inf
    for option in range(start + 1, stop):
        best = max(best, scores[option])
    scale, highest = 0.0, -np.inf
    exact = np.full(stop - start, np.nan)
    for option in range(start, stop):
        if abs(scores[option] - first) <= bound or (option > start and best - scores[option] <= bound):
            exact[option - start], own = _exact_pair(
                left[left_index[option]], right[right_index[option]], code
            )
            scale = max(scale, own)
            if option > start and best - scores[option] <= bound:
                highest = max(highest, exact[option - start])
    # First the best of the others, whose ties it wins, then the first option, which ties with all of them.
    for tied in (highest, exact[0]):
        for option in range(1, stop - start):
            if abs(exact[option] - tied) <= _TIE * scale:
                exact[option] = tied
    for option in range(stop - start):
        if exact[option] == exact[option]:
            scores[start + option] = exact[option]


@compiled(parallel=True)
def _settle_queries(
    scores: F64,
    options: I64,
    offsets: I64,
    queries: I64,
    left: F32,
    right: F32,
    left_index: I64,
    right_index: I64,
    code: int,
    bound: float,
) -> None:
    for query in prange(len(queries) - 1):
        firsts = offsets[queries[query] : queries[query + 1]]
        if len(firsts) < 2:
            continue
        start, stop = firsts[0], offsets[queries[query + 1]]
        by_score = np.argsort(scores[firsts])
        answers = scores[firsts[by_score]]
        # A right answer is contested if an option other than itself is within the bound.
        contested = np.zeros(len(firsts), np.bool_)
        for option in range(start, stop):
            at = np.searchsorted(answers, scores[option] - bound)
            while at < len(answers) and answers[at] - scores[option] <= bound:
                contested[at] |= options[firsts[by_score[at]]] != options[option]
                at += 1
        if contested.any():
            _settle_query(
                scores[start:stop],
                answers[contested],
                left,
                right,
                left_index[start:stop],
                right_index[start:stop],
                code,
                bound,
            )


@compiled()
def _settle_query(
    scores: F64,
    contested: F64,
    left: F32,
    right: F32,
    left_index: I64,
    right_index: I64,
    code: int,
    bound: float,
) -> None:
    """Settle what is within the bound of a contested right answer, whose scores ascend."""
    near = np.empty(len(scores), np.int64)
    exact, scales = np.empty(len(scores)), np.empty(len(scores))
    size = 0
    for option in range(len(scores)):
        at = np.searchsorted(contested, scores[option] - bound)
        if at < len(contested) and contested[at] - scores[option] <= bound:
            near[size] = option
            exact[size], scales[size] = _exact_pair(
                left[left_index[option]], right[right_index[option]], code
            )
            size += 1
    order = np.argsort(exact[:size])
    for place in range(size):
        this = order[place]
        scores[near[this]] = exact[this]
        if place:
            below = order[place - 1]
            if exact[this] - exact[below] <= _TIE * max(scales[this], scales[below]):
                scores[near[this]] = scores[near[below]]


def _longest(rows: F32, code: int) -> float:
    """At most so long is a row: by absolute values for Manhattan, else by the root of squares."""
    greatest = float(max(rows.max(initial=0.0), -rows.min(initial=0.0)))
    return greatest * (rows.shape[1] if code == _MANHATTAN else sqrt(rows.shape[1]))
