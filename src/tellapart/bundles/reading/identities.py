"""Ids that have been seen, in a few bytes each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.embed.protocol import I64

U64 = NDArray[np.uint64]

_SEEDS = (11, 83)


@dataclass(frozen=True)
class _Run:
    """Ids in the order of the first half of their digest."""

    first: U64
    second: U64
    lines: I64

    def find(self, first: U64, second: U64) -> I64:
        """Lines of ids, 0 for those that are not here."""
        place = np.minimum(np.searchsorted(self.first, first), len(self.first) - 1)
        found = (self.first[place] == first) & (self.second[place] == second)
        return np.where(found, self.lines[place], 0)


class Identities:
    """Remembers 128 bits of each id, and its line: 24 bytes.

    They are kept in sorted runs, each more than twice as long as the next one, so that n ids cost
    O(n log² n). Two ids pass for one only if their digests are equal, which never happens in practice.
    """

    def __init__(self) -> None:
        """Remember none."""
        self._runs: list[_Run] = []

    def add(self, ids: pl.Series, lines: pl.Series) -> Iterable[tuple[int, int]]:
        """Remember ids.

        Args:
            ids: Shape (n,), strings.
            lines: Shape (n,), where each is, from 1.

        Returns:
            Place in ``ids`` of each one that was there before, ascending, and the line of the first.
        """
        if not len(ids):
            return ()
        first, second = (ids.hash(seed).to_numpy() for seed in _SEEDS)
        where = lines.to_numpy().astype(np.int64)
        known = np.zeros(len(ids), dtype=np.int64)
        for run in self._runs:
            known = np.maximum(known, run.find(first, second))
        first_place = pl.int_range(len(ids), eager=True).to_frame("place").with_columns(ids.alias("id"))
        earlier = first_place.select(pl.col("place").first().over("id"))["place"].to_numpy()
        repeated = earlier < np.arange(len(ids))
        known = np.where((known == 0) & repeated, where[earlier], known)
        new = known == 0
        self._remember(_Run(first[new], second[new], where[new]))
        rows = np.flatnonzero(known)
        return zip(rows.tolist(), known[rows].tolist(), strict=True)

    def _remember(self, run: _Run) -> None:
        while self._runs and len(self._runs[-1].first) <= 2 * len(run.first):
            last = self._runs.pop()
            run = _Run(
                np.concatenate([last.first, run.first]),
                np.concatenate([last.second, run.second]),
                np.concatenate([last.lines, run.lines]),
            )
        if len(run.first):
            order = np.argsort(run.first, kind="stable")
            self._runs.append(_Run(run.first[order], run.second[order], run.lines[order]))
