"""Rows of numbers of different lengths, as two arrays that can be kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]


@dataclass(frozen=True)
class Ragged:
    """Rows of numbers.

    Attributes:
        edges: Shape (rows + 1,), int64: where each row begins in ``values``, and where the last ends.
        values: Int32, one row after the other.
    """

    edges: NDArray[np.int64]
    values: Int32

    @classmethod
    def of(cls, rows: Sequence[Iterable[int]]) -> Ragged:
        """Take the rows as they are."""
        lists = [list(row) for row in rows]
        edges = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        return cls(edges, np.fromiter((value for row in lists for value in row), np.int32, int(edges[-1])))

    @classmethod
    def kept(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> Ragged:
        """Take what ``arrays`` gave."""
        return cls(arrays[f"{name} edges"], arrays[f"{name} values"])

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Give the two arrays, by names that begin with this one."""
        return {f"{name} edges": self.edges, f"{name} values": self.values}

    def row(self, at: int) -> Int32:
        """Return one row."""
        return self.values[self.edges[at] : self.edges[at + 1]]

    def gathered(self, rows: NDArray[Any]) -> tuple[Int32, NDArray[np.int64]]:
        """Return several rows, one after the other, and the length of each."""
        begins, lengths = self.edges[rows], self.lengths[rows]
        shift = np.repeat(begins - np.cumsum(lengths) + lengths, lengths)
        return self.values[shift + np.arange(len(shift))], lengths

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The length of each row."""
        return np.diff(self.edges)

    def turned(self, rows: int) -> Ragged:
        """Return, for each number below ``rows``, the rows that hold it, in ascending order."""
        holders = np.repeat(np.arange(len(self.edges) - 1, dtype=np.int32), self.lengths)
        edges = np.concatenate([[0], np.cumsum(np.bincount(self.values, minlength=rows))]).astype(np.int64)
        return Ragged(edges, holders[np.argsort(self.values, kind="stable")])
