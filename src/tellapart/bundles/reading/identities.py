"""Ids that have been seen, in a few bytes each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

_DIGEST = np.dtype([("first", np.uint64), ("second", np.uint64)])
_SEEDS = (11, 83)


class Identities:
    """Remembers 128 bits of each id and its line, 24 bytes in all; two ids never meet in practice.

    Digests are kept in sorted runs, each more than twice as long as the next one, so that n ids are sorted
    and searched in O(n log² n).
    """

    def __init__(self) -> None:
        """Remember none."""
        self._runs: list[tuple[NDArray[np.void], NDArray[np.int64]]] = []

    def add(self, ids: pl.Series, lines: pl.Series) -> Iterator[tuple[int, int]]:
        """Remember ids.

        Args:
            ids: Shape (n,), strings.
            lines: Shape (n,), where each is.

        Returns:
            Place in ``ids`` of each one that was there before, ascending, and the line of the first.
        """
        digests = np.empty(len(ids), dtype=_DIGEST)
        for name, seed in zip(("first", "second"), _SEEDS, strict=True):
            digests[name] = ids.hash(seed).to_numpy()
        where = lines.to_numpy().astype(np.int64)
        ordered, first, back = np.unique(digests, return_index=True, return_inverse=True)
        known = where[first][back]
        repeated = first[back] != np.arange(len(ids))
        for run, run_lines in self._runs:
            place = np.minimum(np.searchsorted(run, digests), len(run) - 1)
            found = run[place] == digests
            known[found] = run_lines[place[found]]
            repeated |= found
        self._remember(ordered, where[first])
        rows = np.flatnonzero(repeated)
        return zip(rows.tolist(), known[rows].tolist(), strict=True)

    def _remember(self, digests: NDArray[np.void], lines: NDArray[np.int64]) -> None:
        while self._runs and len(self._runs[-1][0]) <= 2 * len(digests):
            run, run_lines = self._runs.pop()
            digests, first = np.unique(np.concatenate([run, digests]), return_index=True)
            lines = np.concatenate([run_lines, lines])[first]
        if len(digests):
            self._runs.append((digests, lines))
