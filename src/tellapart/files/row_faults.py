"""Rows that cannot be used, reported all together by file, line and field."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tellapart.errors import InputError

_SHOWN = 10
"""Kinds of faults that are shown, each by its first; all faults where there are no more of them."""

_INDEX = re.compile(r"\[[0-9]+\]|(?<=_)[0-9]+$")

_Place = tuple[int, int]
"""Position of the file, and line."""


@dataclass
class _Kind:
    """Faults of one cause in one field: how many, and the first ones by place."""

    count: int = 0
    first: list[tuple[_Place, str]] = field(default_factory=list)

    def add(self, place: _Place, text: str) -> None:
        self.count += 1
        self.first.append((place, text))
        if len(self.first) > 2 * _SHOWN:
            self.first = self.ordered

    @property
    def ordered(self) -> list[tuple[_Place, str]]:
        """The first ones; those of one place as they came."""
        return sorted(self.first, key=lambda one: one[0])[:_SHOWN]


class RowFaults:
    """What is wrong with the rows of a file, collected while it is read; all are counted, some are shown.

    Attributes:
        counts: How many by cause; a row may have several.
        lines: Lines with at least one, but for those of other files.
    """

    def __init__(self, path: Path | str) -> None:
        """Collect for ``path``: a file, or where several are."""
        self._path = path
        self._kinds: dict[tuple[str, str], _Kind] = {}
        self._taken_rows = 0
        self.counts: Counter[str] = Counter()
        self.lines: set[int] = set()

    @property
    def n_rows(self) -> int:
        """Rows with at least one."""
        return len(self.lines) + self._taken_rows

    def add(self, line: int, field: str, cause: str, detail: str = "") -> None:
        """Note what is wrong with a row."""
        kind = self._kinds.setdefault((_INDEX.sub("", field), cause), _Kind())
        kind.add((0, line), f"{self._path}:{line}: {field}: {cause}{detail and f', {detail}'}")
        self.counts[cause] += 1
        self.lines.add(line)

    def take(self, other: RowFaults, file: int) -> None:
        """Add what was collected for one of several files, whose faults are shown in their order."""
        self._taken_rows += other.n_rows
        for key, others in other._kinds.items():
            kind = self._kinds.setdefault(key, _Kind())
            for (_, line), text in others.ordered:
                kind.add((file, line), text)
            kind.count += others.count - len(others.ordered)
        self.counts += other.counts

    def refuse(self, *, next_step: str = "Fix them, or drop them with --skip-invalid") -> None:
        """Raise if there is any, with what the reader can do about it."""
        if not self.counts:
            return
        kinds = sorted(self._kinds.values(), key=lambda kind: -kind.count)
        if self.counts.total() <= _SHOWN:
            shown = [fault for kind in kinds for fault in kind.ordered]
        else:
            shown = [
                (place, f"{text} ({kind.count:,} in all)" if kind.count > 1 else text)
                for kind in kinds[:_SHOWN]
                for place, text in kind.ordered[:1]
            ]
        lines = [text for _, text in sorted(shown, key=lambda one: one[0])]
        more = [f"and {len(kinds) - _SHOWN:,} more kinds of faults"] if len(kinds) > _SHOWN else []
        counts = ", ".join(f"{count} {cause}" for cause, count in sorted(self.counts.items()))
        raise InputError(
            "\n".join([f"{self.n_rows} bad row(s): {counts}", *lines, *more]),
            where=self._path,
            next_step=next_step,
        )
