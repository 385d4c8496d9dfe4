"""Rows that cannot be used, reported all together by file, line and field."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tellapart.errors import InputError, option

_SHOWN = 10


def fix_or_drop() -> str:
    """Say what can be done about rows that cannot be used."""
    return f"Fix them, or drop them with {option('skip_invalid')}"


class RowFaults:
    """What is wrong with the rows of a file, collected while it is read; all are counted, some are shown."""

    def __init__(self, path: Path | str) -> None:
        """Collect for ``path``: a file, or where several are."""
        self._path = path
        self._first: list[tuple[int, int, str]] = []
        self._taken_rows = 0
        self.counts: Counter[str] = Counter()
        self.lines: set[int] = set()

    @property
    def n_rows(self) -> int:
        """Rows with at least one."""
        return len(self.lines) + self._taken_rows

    def add(self, line: int, field: str, cause: str, detail: str = "") -> None:
        """Note what is wrong with a row."""
        self._keep([(0, line, f"{self._path}:{line}: {field}: {cause}{detail and f', {detail}'}")])
        self.counts[cause] += 1
        self.lines.add(line)

    def take(self, other: RowFaults, file: int) -> None:
        """Add what was collected for one of several files, whose faults are shown in their order."""
        self._taken_rows += other.n_rows
        self._keep([(file, line, text) for _, line, text in other._first])
        self.counts += other.counts

    def refuse(self, *, next_step: str | None = None) -> None:
        """Raise if there is any, with what the reader can do about it."""
        if not self.counts:
            return
        counts = ", ".join(f"{count} {cause}" for cause, count in sorted(self.counts.items()))
        lines = [text for _, _, text in self._first]
        more = self.counts.total() - len(lines)
        raise InputError(
            "\n".join(
                [f"{self.n_rows} bad row(s): {counts}", *lines, *([f"and {more:,} more"] if more else [])]
            ),
            where=self._path,
            next_step=fix_or_drop() if next_step is None else next_step,
        )

    def _keep(self, faults: list[tuple[int, int, str]]) -> None:
        """Keep the first faults by file and line; those of one line as they came."""
        first = sorted([*self._first, *faults], key=lambda fault: fault[:2])
        self._first = first[:_SHOWN]
