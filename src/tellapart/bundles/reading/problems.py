"""Rows that cannot be used: all of them are told together, by file, line and field."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tellapart.errors import InputError

_QUOTED = 20


class Problems:
    """What is wrong with the rows of a file, collected while it is read."""

    def __init__(self, path: Path) -> None:
        """Collect for ``path``."""
        self._path = path
        self._lines: list[tuple[int, str]] = []
        self.counts: Counter[str] = Counter()

    def add(self, line: int, field: str, cause: str, found: str = "") -> None:
        """Note one bad row.

        Args:
            line: Of the file, from 1; the number of the row in a Parquet file.
            field: Where in the row.
            cause: Of a handful of kinds, for counting, such as ``no negatives``.
            found: What was found and what was expected, where the cause does not say it.
        """
        self.counts[cause] += 1
        self._lines.append((line, f"{self._path}:{line}: {field}: {cause}{found and f', {found}'}"))

    def refuse(self) -> None:
        """Raise if there is any.

        Raises:
            InputError: Names the first twenty rows and counts all of them by cause.
        """
        if not self.counts:
            return
        shown = [text for _, text in sorted(self._lines)[:_QUOTED]]
        rest = len(self._lines) - len(shown)
        counts = ", ".join(f"{count} {cause}" for cause, count in sorted(self.counts.items()))
        more = [f"and {rest} more"] if rest else []
        raise InputError(
            "\n".join([f"{self.counts.total()} bad row(s): {counts}", *shown, *more]),
            where=self._path,
            next_step="Mend them, or drop them with --skip-invalid",
        )
