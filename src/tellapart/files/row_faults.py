"""Rows that cannot be used, reported all together by file, line and field."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tellapart.errors import InputError

_SHOWN = 10
"""As many are shown, and as many lines of each kind; the others are counted."""

_INDEX = re.compile(r"\[[0-9]+\]|(?<=_)[0-9]+$")


@dataclass
class _Kind:
    """Faults of one cause in one field.

    Attributes:
        count: How many.
        first: Negated line and order of arrival, and text, of those with the lowest lines: a heap.
    """

    count: int = 0
    first: list[tuple[int, int, str]] = field(default_factory=list)

    def add(self, line: int, order: int, text: str) -> None:
        self.count += 1
        if len(self.first) < _SHOWN:
            heapq.heappush(self.first, (-line, -order, text))
        elif line < -self.first[0][0]:
            heapq.heapreplace(self.first, (-line, -order, text))

    @property
    def ordered(self) -> list[tuple[int, int, str]]:
        """Line, order and text, ascending."""
        return sorted((-line, -order, text) for line, order, text in self.first)

    @property
    def summary(self) -> str:
        """The first fault in full, how many there are, and the first lines."""
        text = self.ordered[0][2]
        lines = dict.fromkeys(line for line, _, _ in self.ordered)
        more = " …" if self.count > _SHOWN else ""
        listed = f" ({self.count:,} in all: lines {', '.join(map(str, lines))}{more})"
        return text if self.count == 1 else f"{text}{listed}"


class RowFaults:
    """What is wrong with the rows of a file, collected while it is read.

    All are counted; of each kind, the texts of only those with the lowest line numbers are kept.

    Attributes:
        counts: How many by cause; a row may have several.
        lines: Lines with at least one.
    """

    def __init__(self, path: Path) -> None:
        """Collect for ``path``."""
        self._path = path
        self._kinds: dict[tuple[str, str], _Kind] = {}
        self.counts: Counter[str] = Counter()
        self.lines: set[int] = set()

    def add(self, line: int, field: str, cause: str, detail: str = "") -> None:
        """Note what is wrong with a row.

        Args:
            line: Of the file, from 1; the number of the row in a Parquet file.
            field: Where in the row; places that differ in a number alone are of one kind.
            cause: Of a handful of kinds, for counting, such as ``no negatives``.
            detail: What was found and what was expected, where the cause does not say it.
        """
        text = f"{self._path}:{line}: {field}: {cause}{detail and f', {detail}'}"
        kind = self._kinds.setdefault((_INDEX.sub("", field), cause), _Kind())
        kind.add(line, self.counts.total(), text)
        self.counts[cause] += 1
        self.lines.add(line)

    def refuse(self, *, next_step: str = "Fix them, or drop them with --skip-invalid") -> None:
        """Raise if there is any, with what the reader can do about it.

        Raises:
            InputError: Counts all of them by cause. Names each of up to ten. Of more, it names the first of
                each kind, which is field and cause, with the lines of the others: the ten most frequent
                kinds, in the order of the file.
        """
        if not self.counts:
            return
        kinds = [*self._kinds.values()]
        if self.counts.total() <= _SHOWN:
            shown = [text for _, _, text in sorted(place for kind in kinds for place in kind.ordered)]
        else:
            frequent = sorted(kinds, key=lambda kind: (-kind.count, kind.ordered[0]))[:_SHOWN]
            shown = [kind.summary for kind in sorted(frequent, key=lambda kind: kind.ordered[0])]
            rest = len(kinds) - len(frequent)
            shown += [f"and {rest:,} more kinds of faults"] if rest else []
        counts = ", ".join(f"{count} {cause}" for cause, count in sorted(self.counts.items()))
        raise InputError(
            "\n".join([f"{len(self.lines)} bad row(s): {counts}", *shown]),
            where=self._path,
            next_step=next_step,
        )
