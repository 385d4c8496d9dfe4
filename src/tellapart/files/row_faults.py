"""Rows that cannot be used, reported all together by file, line and field."""

from __future__ import annotations

import heapq
from collections import Counter
from pathlib import Path

from tellapart.errors import InputError

MOST_FAULTS = 20
"""As many are shown; the others are counted."""


class RowFaults:
    """What is wrong with the rows of a file, collected while it is read.

    All are counted; the texts of only those with the lowest line numbers are kept.

    Attributes:
        counts: How many by cause; a row may have several.
        lines: Lines with at least one.
    """

    def __init__(self, path: Path) -> None:
        """Collect for ``path``."""
        self._path = path
        self._first: list[tuple[int, int, str]] = []
        self.counts: Counter[str] = Counter()
        self.lines: set[int] = set()

    def add(self, line: int, field: str, cause: str, detail: str = "") -> None:
        """Note what is wrong with a row.

        Args:
            line: Of the file, from 1; the number of the row in a Parquet file.
            field: Where in the row.
            cause: Of a handful of kinds, for counting, such as ``no negatives``.
            detail: What was found and what was expected, where the cause does not say it.
        """
        order = -self.counts.total()
        self.counts[cause] += 1
        self.lines.add(line)
        if len(self._first) < MOST_FAULTS or line < -self._first[0][0]:
            text = f"{self._path}:{line}: {field}: {cause}{detail and f', {detail}'}"
            put = heapq.heappush if len(self._first) < MOST_FAULTS else heapq.heapreplace
            put(self._first, (-line, order, text))

    def refuse(self, *, next_step: str = "Fix them, or drop them with --skip-invalid") -> None:
        """Raise if there is any, with what the reader can do about it.

        Raises:
            InputError: Names the first twenty and counts all of them by cause.
        """
        if not self.counts:
            return
        shown = [text for _, _, text in sorted(self._first, reverse=True)]
        rest = self.counts.total() - len(shown)
        counts = ", ".join(f"{count} {cause}" for cause, count in sorted(self.counts.items()))
        raise InputError(
            "\n".join(
                [f"{len(self.lines)} bad row(s): {counts}", *shown, *([f"and {rest} more"] if rest else [])]
            ),
            where=self._path,
            next_step=next_step,
        )
