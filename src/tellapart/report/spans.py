"""Tables whose rows end in a picture of an interval: the ranking, and the differences of pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from tellapart.report.tables import Cell, Column, Table

_MOST_TICKS = 7
_WIDEST_NAME = 36


@dataclass(frozen=True)
class Span:
    """A row.

    Attributes:
        value: Where its mark is; None for no mark.
        low: Lower end of its interval; None for no interval.
        strong: Whether the mark is filled.
    """

    cells: tuple[Cell, ...]
    value: float | None = None
    low: float | None = None
    high: float | None = None
    strong: bool = True


@dataclass(frozen=True)
class Spans:
    """A table with an axis.

    Attributes:
        name: Of one word, unique in a report; becomes an anchor.
        ticks: Where the axis has a label, and which; the first and the last are its ends.
        band: A part of the ground that is shaded, from one value to another.
        rules: Where lines run down, such as at 0.
        note: How to read the pictures; may be empty.
        is_told_elsewhere: Whether a table of the report has the figures too: Markdown then leaves it out.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Span, ...]
    ticks: tuple[tuple[float, str], ...]
    band: tuple[float, float] | None = None
    rules: tuple[float, ...] = ()
    note: str = ""
    is_told_elsewhere: bool = False

    @property
    def letters(self) -> int:
        """How many letters wide the first column should be; longer names are broken."""
        return min(max(cell_len(row.cells[0].text) for row in self.rows), _WIDEST_NAME)

    def at(self, value: float) -> float:
        """Where a value is on the axis, in percent of its length."""
        low, high = self.ticks[0][0], self.ticks[-1][0]
        return round(100 * min(max((value - low) / (high - low), 0.0), 1.0), 2)

    def table(self) -> Table:
        """The table without its pictures."""
        return Table(self.name, self.title, self.columns, tuple(row.cells for row in self.rows))


def ticks_over(
    values: Sequence[float], form: Callable[[float], str], least: float = 0.0
) -> tuple[tuple[float, str], ...]:
    """Round numbers, ``least`` or more apart, from below the lowest value to above the highest."""
    low, high = min(values), max(values)
    if low == high:
        low, high = low - (abs(low) or 1.0), high + (abs(high) or 1.0)
    unit = 10.0 ** math.floor(math.log10((high - low) / _MOST_TICKS))
    step = next(unit * times for times in (1, 2, 5, 10) if (high - low) / (unit * times) <= _MOST_TICKS)
    step = max(step, least)
    first, last = math.floor(low / step), math.ceil(high / step)
    return tuple((step * n, form(step * n)) for n in range(first, last + 1))
