"""Keys of texts: 64 bits of a hash, the same on any machine."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numba import prange
from numpy.typing import NDArray

from tellapart.core.arrays import I64, U64
from tellapart.core.compiled import compiled
from tellapart.errors import InputError

_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
"""Odd numbers without pattern: the golden ratio's, and one that xxHash multiplies by."""


def hashed(column: pl.Series) -> tuple[U64, U64]:
    """Two hashes of each text, each of 64 bits.

    Both multiply and fold the bytes of UTF-8 eight at a time. They are made to be quick and to spread, not to
    withstand somebody who looks for collisions: whoever uses one checks it by the other, or by the text.
    """
    data = np.frombuffer("".join(column.to_list()).encode("utf-8", "surrogatepass"), dtype=np.uint8)
    ends = np.cumsum(column.str.len_bytes().to_numpy(), dtype=np.int64)
    first, second = np.empty(len(column), np.uint64), np.empty(len(column), np.uint64)
    _hash(data, ends, first, second)
    return first, second


@compiled(parallel=True)
def _hash(data: NDArray[np.uint8], ends: I64, first: U64, second: U64) -> None:
    for row in prange(len(ends)):
        start = ends[row - 1] if row else 0
        a, b = _FIRST ^ np.uint64(ends[row] - start), _SECOND
        offset = start
        while offset < ends[row]:
            word = np.uint64(0)
            for byte in range(min(8, ends[row] - offset)):
                word |= np.uint64(data[offset + byte]) << np.uint64(8 * byte)
            a = _fold((a ^ word) * _FIRST)
            b = _fold((b + word) * _SECOND)
            offset += 8
        first[row] = _fold(_fold(a * _SECOND) * _FIRST)
        second[row] = _fold(_fold(b * _FIRST) * _SECOND)


@compiled()
def _fold(value: np.uint64) -> np.uint64:
    return value ^ (value >> np.uint64(29))


class NewTexts(NamedTuple):
    """Texts that were not seen before: the key of each, and a row of the column in which it is."""

    keys: U64
    rows: I64


class SeenTexts:
    """The keys of one side's texts so far, ascending, with what tells texts of one key apart."""

    def __init__(self) -> None:
        """Remember none."""
        self._keys = np.empty(0, np.uint64)
        self._checks = np.empty(0, np.uint64)

    def add(self, column: pl.Series) -> tuple[U64, NewTexts]:
        """Give texts their keys, and remember them."""
        keys, checks = hashed(column)
        distinct, rows, number = np.unique(keys, return_index=True, return_inverse=True)
        at = np.minimum(np.searchsorted(self._keys, distinct), max(len(self._keys) - 1, 0))
        is_old = self._keys[at] == distinct if len(self._keys) else np.zeros(len(distinct), dtype=np.bool_)
        expected = checks[rows]
        if len(self._keys):
            expected = np.where(is_old, self._checks[at], expected)
        if (expected[number] != checks).any():
            raise same_key()
        new = NewTexts(distinct[~is_old], rows[~is_old])
        order = np.argsort(np.concatenate([self._keys, new.keys]), kind="stable")
        self._keys = np.concatenate([self._keys, new.keys])[order]
        self._checks = np.concatenate([self._checks, checks[new.rows]])[order]
        return keys, new


def same_key() -> InputError:
    """Two texts of an eval have one key: of 10 million texts by a chance of 3 in a million."""
    return InputError(
        "two texts have one key of 64 bits, which is nearly always chance",
        next_step="Put a space at the end of one text of the eval, so that its keys are others",
    )
