"""Kinds of items, and what each separates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tellapart.audit.results import Findings, Pair, Stratum
from tellapart.core.pair_key import pair_key


@dataclass(frozen=True)
class Kind:
    """One kind of items.

    Attributes:
        needed: Pairs with the items of this kind that would separate them, None where no number would; the
            pair that needs most last, those that no number separates last of all.
    """

    column: str
    value: str
    stratum: Stratum
    needed: tuple[tuple[Pair, int | None], ...]

    @property
    def items(self) -> int:
        """How many there are."""
        return self.stratum.items

    @property
    def hardest(self) -> tuple[Pair, int | None] | None:
        """The pair that needs most items, and how many; None without a pair."""
        return self.needed[-1] if self.needed else None


def kinds(findings: Findings) -> dict[str, list[Kind]]:
    """Give the kinds of items by column, those that separate most, and with fewest items, first."""
    return {
        column: sorted(
            (_kind(findings, column, value, stratum) for value, stratum in values.items()), key=_rank
        )
        for column, values in findings.by_stratum.items()
        if values
    }


def keyed(findings: Findings) -> Iterator[tuple[str, Pair]]:
    """Give each pair with its key."""
    return ((pair_key(pair.a, pair.b), pair) for pair in findings.pairs)


def _kind(findings: Findings, column: str, value: str, stratum: Stratum) -> Kind:
    pairs = [
        (pair, stratum.items_needed[key]) for key, pair in keyed(findings) if key in stratum.items_needed
    ]
    needed = sorted(pairs, key=lambda row: (row[1] is None, row[1] or 0))
    return Kind(column, value, stratum, tuple(needed))


def _rank(kind: Kind) -> tuple[float, float, str]:
    share = kind.stratum.separated_paired
    needed = kind.hardest[1] if kind.hardest else None
    return (1.0 if share is None else -share, float("inf") if needed is None else needed, kind.value)
