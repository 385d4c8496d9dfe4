"""Cosines in fixed point: as quick as memory gives rows, and with the same bits on any machine."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numba import prange
from numpy.typing import ArrayLike

from tellapart.core.arrays import F32, F64, I32, I64
from tellapart.core.compiled import compiled


def unit_rows(vectors: F32, *, out: I32 | None = None) -> I32:
    """Bring rows to unit length, in fixed point with 30 bits after the point.

    Args:
        out: Where to write, of the same shape; a new array by default.

    Returns:
        int32 of shape (n, d); a zero row stays zero.
    """
    rows = np.empty(vectors.shape, dtype=np.int32) if out is None else out
    _unit_rows(np.ascontiguousarray(vectors, dtype=np.float32), rows)
    return rows


def unit_cosines(left: I32, right: I32, left_index: ArrayLike, right_index: ArrayLike) -> F64:
    """Cosines of chosen pairs of rows that ``unit_rows`` made, in one pass over the rows.

    Sums of integers are the same in any order, so these cosines have the same bits on any processor and with
    any number of threads, and rows are read as fast as memory gives them.
    """
    first, second = checked_pairs(left, right, left_index, right_index)
    runs = runs_of(first)
    cosines = np.empty(len(first))
    _unit_cosines(left, right, first[runs[:-1]], second, runs, cosines)
    return cosines


def checked_pairs(
    left: F32 | I32, right: F32 | I32, left_index: ArrayLike, right_index: ArrayLike
) -> tuple[I64, I64]:
    """Give the indices of pairs of rows as arrays; arguments and errors as for ``unit_cosines``."""
    first, second = (np.ascontiguousarray(index, dtype=np.int64) for index in (left_index, right_index))
    if left.shape[1] != right.shape[1] or first.shape != second.shape:
        raise ValueError(
            f"rows of {left.shape[1]} and {right.shape[1]}, {first.size} and {second.size} indices"
        )
    for index, rows in ((first, left), (second, right)):
        if index.size and not 0 <= index.min() <= index.max() < len(rows):
            raise ValueError(f"an index is outside the {len(rows)} rows")
    return first, second


def runs_of(index: I64) -> I64:
    """Where runs of equal numbers begin, none longer than one core takes at a time, and where the last ends."""
    ends = np.empty(len(index), dtype=np.bool_)
    ends[:-1], ends[-1:] = index[1:] != index[:-1], True
    ends[_LONGEST_RUN - 1 :: _LONGEST_RUN] = True
    return np.concatenate([[0], np.flatnonzero(ends) + 1])


def rounding_bound(dimensions: int) -> float:
    """How far a cosine of ``unit_cosines`` is at most from that of the vectors.

    A component is off by half a unit of the last of 30 bits, so a row by sqrt(d) / 2 of them, and a cosine by
    as much for either row.
    """
    return (sqrt(dimensions) + 1) / ONE


ONE = 2.0**30
"""What a component of 1 is written as in the rows of ``unit_rows``."""

_LONGEST_RUN = 4_096
"""Pairs of one left row that one core takes at a time."""


@compiled(parallel=True)
def _unit_rows(vectors: F32, rows: I32) -> None:
    for i in prange(len(vectors)):
        squares = 0.0
        for value in vectors[i]:
            squares += np.float64(value) * np.float64(value)
        scale = ONE / np.sqrt(squares) if squares > 0 else 0.0
        for j in range(vectors.shape[1]):
            rows[i, j] = np.int32(np.rint(np.float64(vectors[i, j]) * scale))


@compiled(parallel=True)
def _unit_cosines(left: I32, right: I32, left_rows: I64, right_index: I64, runs: I64, cosines: F64) -> None:
    """Run i owns the pairs from ``runs[i]`` to ``runs[i + 1]``, all with the row ``left_rows[i]``."""
    for run in prange(len(left_rows)):
        row, pair, stop = left[left_rows[run]], runs[run], runs[run + 1]
        # Four pairs at a time: their left row is read and widened once.
        while pair + 4 <= stop:
            products = _four_products(row, right, right_index[pair : pair + 4])
            for k in range(4):
                cosines[pair + k] = min(max(products[k] * ONE**-2, -1.0), 1.0)
            pair += 4
        while pair < stop:
            cosines[pair] = min(max(_product(row, right[right_index[pair]]) * ONE**-2, -1.0), 1.0)
            pair += 1


@compiled()
def _four_products(row: I32, others: I32, index: I64) -> tuple[np.int64, np.int64, np.int64, np.int64]:
    a, b, c, d = others[index[0]], others[index[1]], others[index[2]], others[index[3]]
    sum_a, sum_b, sum_c, sum_d = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for j in range(len(row)):
        value = np.int64(row[j])
        sum_a += value * np.int64(a[j])
        sum_b += value * np.int64(b[j])
        sum_c += value * np.int64(c[j])
        sum_d += value * np.int64(d[j])
    return sum_a, sum_b, sum_c, sum_d


@compiled()
def _product(row: I32, other: I32) -> np.int64:
    total = np.int64(0)
    for j in range(len(row)):
        total += np.int64(row[j]) * np.int64(other[j])
    return total
