"""Similarities of pairs of vectors in double precision."""

from __future__ import annotations

import math

import numpy as np
from numba import prange
from numpy.typing import ArrayLike

from tellapart.core.arrays import F32, F64, I64
from tellapart.core.compiled import compiled
from tellapart.core.figure_units import VECTOR_SIMILARITIES

_COSINE, _DOT, _EUCLIDEAN, _MANHATTAN = range(len(VECTOR_SIMILARITIES))

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
    values, code = np.empty(len(first)), VECTOR_SIMILARITIES.index(similarity)
    lengths = squares or (squared_lengths(left), squared_lengths(right))
    _vector_pairs(left, right, *lengths, first, second, _groups(first), code, values)
    return values


@compiled()
def _groups(index: I64) -> I64:
    """Where groups of up to four equal neighbours begin, and where the last ends."""
    begins, n = np.empty(len(index) + 1, np.int64), 0
    for i in range(len(index)):
        if not n or index[i] != index[i - 1] or i - begins[n - 1] == 4:
            begins[n] = i
            n += 1
    begins[n] = len(index)
    return begins[: n + 1]


def squared_lengths(rows: F32) -> F64:
    """The squared length of each row, shape (n,)."""
    lengths = np.empty(len(rows))
    _squared_lengths(rows, lengths)
    return lengths


@compiled(parallel=True)
def _vector_pairs(
    left: F32,
    right: F32,
    left_squares: F64,
    right_squares: F64,
    left_index: I64,
    right_index: I64,
    groups: I64,
    code: int,
    values: F64,
) -> None:
    for group in prange(len(groups) - 1):
        first, last = groups[group], groups[group + 1] - 1
        i = left_index[first]
        if code in (_COSINE, _DOT):
            a, b, c = right_index[first], right_index[min(first + 1, last)], right_index[min(first + 2, last)]
            totals = _products(left[i], right[a], right[b], right[c], right[right_index[last]])
        else:
            totals = _distances(left[i], right, right_index[first : last + 1], code)
        for pair in range(first, last + 1):
            j = right_index[pair]
            values[pair] = _similarity(totals[pair - first], left_squares[i], right_squares[j], code)


@compiled(parallel=True)
def _squared_lengths(rows: F32, lengths: F64) -> None:
    for row in prange(len(rows)):
        lengths[row] = _products(rows[row], rows[row], rows[row], rows[row], rows[row])[0]


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
    return float(np.rint(value / unit)) * unit


# All sums of a kind come from one loop, so that equal rows have equal sums; rounding takes away what another
# processor's order of adding up makes of them.


@compiled(any_order=True)
def _products(row: F32, a: F32, b: F32, c: F32, d: F32) -> tuple[float, float, float, float]:
    # The row is read once, and the others side by side: memory is what such sums wait for.
    of_a, of_b, of_c, of_d = 0.0, 0.0, 0.0, 0.0
    for j in range(len(row)):
        value = np.float64(row[j])
        of_a += value * np.float64(a[j])
        of_b += value * np.float64(b[j])
        of_c += value * np.float64(c[j])
        of_d += value * np.float64(d[j])
    return of_a, of_b, of_c, of_d


@compiled()
def _distances(row: F32, others: F32, index: I64, code: int) -> tuple[float, float, float, float]:
    totals = np.zeros(4)
    for k in range(len(index)):
        other = others[index[k]]
        for j in range(len(row)):
            gap = np.float64(row[j]) - np.float64(other[j])
            totals[k] += gap * gap if code == _EUCLIDEAN else abs(gap)
    return totals[0], totals[1], totals[2], totals[3]
