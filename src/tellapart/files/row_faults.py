"""Rows that cannot be used, reported all together by file, line and field."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path

from tellapart.errors import InputError

_SHOWN = 10
"""As many are shown, and as many lines of each kind; the others are counted."""

_LINE_BITS = 40
"""Of the number by which faults of several files are ordered."""

_INDEX = re.compile(r"\[[0-9]+\]|(?<=_)[0-9]+$")


@dataclass
class _Kind:
    """Faults of one cause in one field; line, location and text of those with the lowest lines."""

    count: int = 0
    first: list[tuple[int, str, str]] = field(default_factory=list)

    def add(self, line: int, location: str, text: str) -> None:
        self.count += 1
        self.first.append((line, location, text))
        if len(self.first) > 2 * _SHOWN:
            self.first = self.ordered

    @property
    def ordered(self) -> list[tuple[int, str, str]]:
        """Those that are shown; of one line as they came."""
        return sorted(self.first, key=itemgetter(0))[:_SHOWN]

    @property
    def summary(self) -> str:
        """The first fault in full, how many there are, and where the first ones are."""
        if self.count == 1:
            return self.first[0][2]
        places = dict.fromkeys(location for _, location, _ in self.ordered)
        listed = ", ".join(places)
        if len({location.rpartition(":")[0] for location in places}) == 1:
            listed = f"lines {', '.join(location.rpartition(':')[2] for location in places)}"
        more = " …" if self.count > _SHOWN else ""
        return f"{self.ordered[0][2]} ({self.count:,} in all: {listed}{more})"


class RowFaults:
    """What is wrong with the rows of a file, collected while it is read.

    All are counted; of each kind, the texts of only those with the lowest line numbers are kept.

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
        location = f"{self._path}:{line}"
        text = f"{location}: {field}: {cause}{detail and f', {detail}'}"
        kind = self._kinds.setdefault((_INDEX.sub("", field), cause), _Kind())
        kind.add(line, location, text)
        self.counts[cause] += 1
        self.lines.add(line)

    def take(self, other: RowFaults, file: int) -> None:
        """Add what was collected for one of several files, whose faults are shown in their order."""
        self._taken_rows += other.n_rows
        for key, others in other._kinds.items():
            kind = self._kinds.setdefault(key, _Kind())
            for line, location, text in others.ordered:
                kind.add((file << _LINE_BITS) + line, location, text)
            kind.count += others.count - len(others.ordered)
        self.counts += other.counts

    def refuse(self, *, next_step: str = "Fix them, or drop them with --skip-invalid") -> None:
        """Raise if there is any, with what the reader can do about it."""
        if not self.counts:
            return
        kinds = [*self._kinds.values()]
        if self.counts.total() <= _SHOWN:
            faults = [fault for kind in kinds for fault in kind.ordered]
            shown = [text for *_, text in sorted(faults, key=itemgetter(0))]
        else:
            frequent = sorted(kinds, key=lambda kind: (-kind.count, kind.ordered[0][0]))[:_SHOWN]
            shown = [kind.summary for kind in sorted(frequent, key=lambda kind: kind.ordered[0][0])]
            rest = len(kinds) - len(frequent)
            shown += [f"and {rest:,} more kinds of faults"] if rest else []
        counts = ", ".join(f"{count} {cause}" for cause, count in sorted(self.counts.items()))
        raise InputError(
            "\n".join([f"{self.n_rows} bad row(s): {counts}", *shown]),
            where=self._path,
            next_step=next_step,
        )
