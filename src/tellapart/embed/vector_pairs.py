"""Similarities of pairs of vectors in double precision, summed in one order."""

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
    return _similarity(left, right, _sum(left, left, _DOT), _sum(right, right, _DOT), code)


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
    for pair in prange(len(values)):
        i, j = left_index[pair], right_index[pair]
        values[pair] = _similarity(left[i], right[j], left_squares[i], right_squares[j], code)


@compiled(parallel=True)
def _squared_lengths(rows: F32, lengths: F64) -> None:
    for row in prange(len(rows)):
        lengths[row] = _sum(rows[row], rows[row], _DOT)


@compiled()
def _similarity(left: F32, right: F32, left_square: float, right_square: float, code: int) -> float:
    total = _sum(left, right, code)
    if code in (_EUCLIDEAN, _MANHATTAN):
        distance = math.sqrt(total) if code == _EUCLIDEAN else total
        return -_rounded(distance, distance)
    scale = math.sqrt(left_square * right_square)
    if code == _DOT:
        return _rounded(total, scale)
    return min(max(_rounded(total / scale, 1.0), -1.0), 1.0) if scale > 0 else 0.0


@compiled()
def _rounded(value: float, scale: float) -> float:
    unit = math.ldexp(1.0, math.frexp(scale)[1] - _BITS)
    return round(value / unit) * unit if unit > 0 else value


@compiled()
def _sum(a: F32, b: F32, code: int) -> float:
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
def _term(x: float, y: float, code: int) -> float:
    if code in (COSINE_CODE, _DOT):
        return x * y
    gap = x - y
    return gap * gap if code == _EUCLIDEAN else abs(gap)
