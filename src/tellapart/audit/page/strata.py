"""Kinds of items, and what each separates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tellapart.audit.results import Findings, Pair, Stratum
from tellapart.core.pair_key import pair_key


@dataclass(frozen=True)
class Kind:
    """One kind of items."""

    column: str
    value: str
    stratum: Stratum

    @property
    def items(self) -> int:
        """How many there are."""
        return self.stratum.items


def kinds(findings: Findings) -> dict[str, list[Kind]]:
    """Give the kinds of items by column, those that separate most first."""
    return {
        column: sorted((Kind(column, value, stratum) for value, stratum in values.items()), key=_rank)
        for column, values in findings.by_stratum.items()
        if values
    }


def keyed(findings: Findings) -> Iterator[tuple[str, Pair]]:
    """Give each pair with its key."""
    return ((pair_key(pair.a, pair.b), pair) for pair in findings.pairs)


def _rank(kind: Kind) -> tuple[float, str]:
    share = kind.stratum.separated_paired
    return 1.0 if share is None else -share, kind.value
