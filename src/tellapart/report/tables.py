"""Tables as data, to be shown in a terminal, in Markdown or on a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tellapart.report.numbers import DASH, MINUS

T = TypeVar("T")

_NUMBER = re.compile(rf"(?:([<>≤≥~])\s*)?([+{MINUS}-]?)(\d[\d,]*(?:\.\d+)?|\.\d+)")
_PLAIN = re.compile(r"[+-]?\d+(\.\d+)?")
_BESIDE = {">": 1e-9, "<": -1e-9}
"""By how much of itself a number that is only a limit stands beside the number itself."""

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
        value = float(digits.replace(",", "")) * (1 + _BESIDE.get(limit, 0.0))
        return f"{-value if sign in ('-', MINUS) else value:.12g}"


@dataclass(frozen=True)
class Column:
    """A column's heading, and whether it holds figures, which are aligned on the right."""

    title: str
    numeric: bool = True


@dataclass(frozen=True)
class Table:
    """A table whose first column names its rows.

    Attributes:
        name: Of one word, unique in a report; becomes an anchor.
        title: What it holds, with the unit.
        columns: Headings, the first one of the row names.
        note: How to read it; may be empty.
    """

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
