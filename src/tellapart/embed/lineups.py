"""Lineups: bundles as numbers, whatever the texts are and whoever compares them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F64, I64
from tellapart.core.ranking import OptionRanks, join_rankings, rank_options

Index = NDArray[np.int32] | I64


class Similarity(Protocol):
    """Scores pairs of texts by their numbers."""

    def __call__(self, anchors: I64, options: I64, /) -> F64:
        """Score pairs of an anchor and an option, given as two arrays of shape (pairs,).

        Returns:
            Shape (pairs,); higher fits better.
        """


_LINEUPS_AT_ONCE = 65_536


@dataclass(frozen=True)
class Lineups:
    """Anchors, each with its options: the positive first, then the negatives.

    Attributes:
        anchors: Shape (lineups,), numbers of anchor texts.
        options: Shape (options of all lineups,), numbers of option texts, lineup after lineup.
        offsets: Shape (lineups + 1,): lineup i owns ``options[offsets[i]:offsets[i + 1]]``.
    """

    anchors: Index
    options: Index
    offsets: I64

    def __len__(self) -> int:
        return len(self.anchors)

    def rank(self, similarity: Similarity) -> OptionRanks:
        """Rank every positive among its lineup's options, in memory that does not grow with the lineups."""
        return join_rankings([self._rank(chunk, similarity) for chunk in self._chunks()])

    def take(self, rows: I64) -> Lineups:
        """The lineups at ``rows``, positions in any order."""
        if (np.diff(rows) == 1).all():  # As they lie, nothing need be copied.
            bounds = self.offsets[rows[0] : rows[-1] + 2] if len(rows) else self.offsets[:1]
            return Lineups(self.anchors[rows], self.options[bounds[0] : bounds[-1]], bounds - bounds[0])
        sizes = self.offsets[rows + 1] - self.offsets[rows]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], sizes)
        return Lineups(self.anchors[rows], self.options[places], offsets)

    def keep(self, kept: NDArray[np.bool_]) -> Lineups:
        """The lineups where ``kept``, of shape (lineups,), holds."""
        return self.take(np.flatnonzero(kept))

    def _chunks(self) -> Iterator[slice]:
        for start in range(0, len(self), _LINEUPS_AT_ONCE):
            yield slice(start, min(start + _LINEUPS_AT_ONCE, len(self)))

    def _rank(self, chunk: slice, similarity: Similarity) -> OptionRanks:
        scores, bounds = self._scores(chunk, similarity)
        ranking = rank_options(scores, bounds, np.zeros(len(bounds) - 1, dtype=np.int64))
        return ranking.moved(int(self.offsets[chunk.start]))

    def _scores(self, chunk: slice, similarity: Similarity) -> tuple[F64, I64]:
        """Score the options of some lineups; lineup i of them owns those from bound i to the next."""
        offsets = self.offsets[chunk.start : chunk.stop + 1]
        options = self.options[offsets[0] : offsets[-1]].astype(np.int64)
        anchors = np.repeat(self.anchors[chunk].astype(np.int64), np.diff(offsets))
        return similarity(anchors, options), offsets - offsets[0]


def join_lineups(parts: Sequence[Lineups]) -> Lineups:
    """Put lineups over the same texts one after the other; no parts are no lineups."""
    sizes = [np.diff(part.offsets) for part in parts]
    none = np.empty(0, dtype=np.int32)
    return Lineups(
        np.concatenate([none, *(part.anchors for part in parts)]),
        np.concatenate([none, *(part.options for part in parts)]),
        np.concatenate([[0], np.cumsum(np.concatenate([np.empty(0, np.int64), *sizes]))]),
    )
