"""Tables as data, to be shown in a terminal, in Markdown or on a page; some have a picture in each row."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rich.cells import cell_len

from tellapart.report.numbers import DASH, MINUS

T = TypeVar("T")

_NUMBER = re.compile(rf"(?:([<>≤≥~])\s*)?([+{MINUS}-]?)(\d[\d,]*(?:\.\d+)?|\.\d+)")
_PLAIN = re.compile(r"[+-]?\d+(\.\d+)?")
STACKED = 5
"""A telephone has no room for so many columns beside one another."""

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Cell:
    """One figure.

    Attributes:
        detail: What belongs below or behind it, such as its interval, in parts separated by ``; ``.
        strong: Whether the figure stands out.
        reason: Why the figure is undefined; empty when it is defined.
        link: Address within the page that the figure leads to, such as ``#items``; empty for none. Pages
            alone show it.
    """

    text: str
    detail: str = ""
    strong: bool = False
    reason: str = ""
    link: str = ""

    @property
    def sort_key(self) -> str | None:
        """What a column of figures is sorted by, where the text itself is no plain number."""
        if not self.reason and _PLAIN.fullmatch(self.text):
            return None
        number = None if self.reason else _NUMBER.search(self.text)
        if number is None:
            return ""
        limit, sign, digits = number.groups()
        # A number that is only a limit stands beside the number itself.
        value = float(digits.replace(",", "")) * {">": 1 + 1e-9, "<": 1 - 1e-9}.get(limit, 1)
        return f"{-value if sign in ('-', MINUS) else value:.12g}"


@dataclass(frozen=True)
class Column:
    """A column's heading, and whether it holds figures, which are aligned on the right."""

    title: str
    numeric: bool = True


@dataclass(frozen=True)
class Table:
    """A table whose first column names its rows; ``name`` is one word, unique in a report, for an anchor."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    @property
    def stacked(self) -> bool:
        """Whether a telephone shows each row as a block, in which every cell has its heading."""
        return len(self.columns) >= STACKED

    def notes(self) -> list[str]:
        """Sentences below the table: how to read it, then why figures are undefined."""
        reasons = [f"{mark} {reason}" for reason, mark in self._marks().items()]
        return ([self.note] if self.note else []) + reasons

    def shown(self, cell: Cell) -> str:
        """Text of a cell; the dash of an undefined one carries the number of its reason."""
        return self._marks()[cell.reason] if cell.reason else cell.text

    def _marks(self) -> dict[str, str]:
        reasons = dict.fromkeys(cell.reason for row in self.rows for cell in row if cell.reason)
        return {reason: DASH + str(i).translate(_SUPERSCRIPTS) for i, reason in enumerate(reasons, start=1)}


def undefined(reason: str, detail: str = "") -> Cell:
    """Make the cell of a figure that does not exist."""
    return Cell(DASH, detail, reason=reason)


def figure(value: T | None, form: Callable[[T], str], reason: str, detail: str = "") -> Cell:
    """Make the cell of a figure that may not exist."""
    return undefined(reason) if value is None else Cell(form(value), detail)


def table(
    name: str,
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[Cell | str]],
    *,
    note: str = "",
    words: int = 1,
) -> Table:
    """Make a table of cells and plain strings."""
    for row in rows:
        if len(row) != len(headings):
            raise ValueError(f"table {name!r}: a row has {len(row)} cells, expected {len(headings)}: {row!r}")
    return Table(
        name,
        title,
        tuple(Column(heading, numeric=i >= words) for i, heading in enumerate(headings)),
        tuple(tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows),
        note,
    )


_WIDEST_NAME = 36


@dataclass(frozen=True)
class Span:
    """A row: where its mark is, the ends of its interval, and whether the mark is filled."""

    cells: tuple[Cell, ...]
    value: float | None = None
    ends: tuple[float, float] | None = None
    strong: bool = True


@dataclass(frozen=True)
class Spans:
    """A table with an axis.

    Attributes:
        ticks: Where the axis has a label, and which; the first and the last are its ends.
        band: A part of the ground that is shaded, from one value to another.
        rules: Where lines run down, such as at 0.
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
    values: Sequence[float],
    form: Callable[[float], str],
    least: float = 0.0,
    most: int = 7,
    steps: Sequence[float] = (1, 2, 5, 10),
) -> tuple[tuple[float, str], ...]:
    """Round numbers, ``least`` or more apart, from below the lowest value to above the highest."""
    low, high = min(values), max(values)
    if low == high:
        low, high = low - (abs(low) or 1.0), high + (abs(high) or 1.0)
    unit = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(unit * times for times in steps if (high - low) / (unit * times) <= most)
    step = max(step, least)
    first, last = math.floor(low / step), math.ceil(high / step)
    return tuple((step * n, form(step * n)) for n in range(first, last + 1))
