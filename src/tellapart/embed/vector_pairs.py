"""Similarities of pairs of vectors in double precision."""

from __future__ import annotations

import math

import numpy as np
from numba import prange
from numpy.typing import ArrayLike

from tellapart.core.arrays import F32, F64, I64
from tellapart.core.compiled import compiled
from tellapart.core.figure_units import VECTOR_SIMILARITIES

COSINE_CODE, _DOT, _EUCLIDEAN, _MANHATTAN = range(len(VECTOR_SIMILARITIES))

_BITS = 44
_UNIT_OF_COSINES = 2.0 ** (1 - _BITS)


def vector_pairs(
    left: F32,
    right: F32,
    left_index: ArrayLike,
    right_index: ArrayLike,
    similarity: str,
    *,
    squares: tuple[F64, F64] | None = None,
) -> F64:
    """Similarities of chosen pairs of rows.

    Equal similarities tie, whatever their sums lost by rounding: each is rounded to 44 bits of its scale,
    which is 1 for cosines, the product of the lengths for inner products, and the distance itself for
    distances. A zero row has cosine 0 with every row.

    Args:
        left: Shape (n, d).
        right: Shape (m, d).
        left_index: Shape (pairs,).
        right_index: Shape (pairs,).
        similarity: One of ``VECTOR_SIMILARITIES``.
        squares: The squared lengths of both sides, as ``squared_lengths`` gives them.

    Returns:
        Shape (pairs,); higher is nearer.
    """
    first, second = (np.ascontiguousarray(index, dtype=np.int64) for index in (left_index, right_index))
    if left.shape[1] != right.shape[1] or first.shape != second.shape:
        raise ValueError(
            f"rows of {left.shape[1]} and {right.shape[1]}, {first.size} and {second.size} indices"
        )
    for index, rows in ((first, left), (second, right)):
        if index.size and not 0 <= index.min() <= index.max() < len(rows):
            raise ValueError(f"an index is outside the {len(rows)} rows")
    values = np.empty(len(first))
    lengths = squares or (squared_lengths(left), squared_lengths(right))
    _vector_pairs(left, right, *lengths, first, second, code_of(similarity), values)
    return values


def squared_lengths(rows: F32) -> F64:
    """The squared length of each row, shape (n,)."""
    lengths = np.empty(len(rows))
    _squared_lengths(rows, lengths)
    return lengths


def code_of(similarity: str) -> int:
    """The number by which the compiled loops know a similarity."""
    return VECTOR_SIMILARITIES.index(similarity)


@compiled()
def vector_pair(left: F32, right: F32, code: int) -> float:
    """One value of ``vector_pairs``."""
    squares = _sum(left, left, _DOT), _sum(right, right, _DOT)
    return _similarity(_sum(left, right, code), squares[0], squares[1], code)


@compiled(parallel=True)
def _vector_pairs(
    left: F32,
    right: F32,
    left_squares: F64,
    right_squares: F64,
    left_index: I64,
    right_index: I64,
    code: int,
    values: F64,
) -> None:
    for four in prange((len(values) + 3) // 4):
        start = 4 * four
        i, j = left_index[start : start + 4], right_index[start : start + 4]
        totals = np.empty(len(i))
        if code in (COSINE_CODE, _DOT) and len(i) == 4 and (i == i[0]).all():
            totals[0], totals[1], totals[2], totals[3] = _four_products(
                left[i[0]], right[j[0]], right[j[1]], right[j[2]], right[j[3]]
            )
        else:
            for k in range(len(i)):
                totals[k] = _sum(left[i[k]], right[j[k]], code)
        for k in range(len(i)):
            values[start + k] = _similarity(totals[k], left_squares[i[k]], right_squares[j[k]], code)


@compiled(parallel=True)
def _squared_lengths(rows: F32, lengths: F64) -> None:
    for row in prange(len(rows)):
        lengths[row] = _sum(rows[row], rows[row], _DOT)


@compiled()
def _similarity(total: float, left_square: float, right_square: float, code: int) -> float:
    if code in (_EUCLIDEAN, _MANHATTAN):
        distance = math.sqrt(total) if code == _EUCLIDEAN else total
        return -_rounded(distance, distance)
    scale = math.sqrt(left_square * right_square)
    if code == _DOT:
        return _rounded(total, scale)
    return min(max(_to_multiple(total / scale, _UNIT_OF_COSINES), -1.0), 1.0) if scale > 0 else 0.0


@compiled()
def _rounded(value: float, scale: float) -> float:
    unit = math.ldexp(1.0, math.frexp(scale)[1] - _BITS)
    return _to_multiple(value, unit) if unit > 0 else value


@compiled()
def _to_multiple(value: float, unit: float) -> float:
    return round(value / unit) * unit


@compiled()
def _sum(a: F32, b: F32, code: int) -> float:
    if code == _EUCLIDEAN:
        return _squared_gaps(a, b)
    return _gaps(a, b) if code == _MANHATTAN else _products(a, b)


# Rounding takes away what the order of a sum adds to it.


@compiled(any_order=True)
def _products(a: F32, b: F32) -> float:
    total = 0.0
    for j in range(len(a)):
        total += np.float64(a[j]) * np.float64(b[j])
    return total


@compiled(any_order=True)
def _four_products(row: F32, a: F32, b: F32, c: F32, d: F32) -> tuple[float, float, float, float]:
    # The row is read once, and the others side by side: memory is what such sums wait for.
    of_a, of_b, of_c, of_d = 0.0, 0.0, 0.0, 0.0
    for j in range(len(row)):
        value = np.float64(row[j])
        of_a += value * np.float64(a[j])
        of_b += value * np.float64(b[j])
        of_c += value * np.float64(c[j])
        of_d += value * np.float64(d[j])
    return of_a, of_b, of_c, of_d


@compiled(any_order=True)
def _squared_gaps(a: F32, b: F32) -> float:
    total = 0.0
    for j in range(len(a)):
        gap = np.float64(a[j]) - np.float64(b[j])
        total += gap * gap
    return total


@compiled(any_order=True)
def _gaps(a: F32, b: F32) -> float:
    total = 0.0
    for j in range(len(a)):
        total += abs(np.float64(a[j]) - np.float64(b[j]))
    return total
