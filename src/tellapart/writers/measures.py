"""Measures of one ranking, as expectations over the orders that ties allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb

import numpy as np

from tellapart.core.arrays import I64

CUTS = (1, 3, 5, 10)
"""Ranks at which rankings are cut."""

DEEPEST = CUTS[-1]

MEASURES = ("RR", *(f"Success@{k}" for k in CUTS), f"nDCG@{DEEPEST}")
"""By the names of ir_measures, whose ``Success`` is also called hit rate."""

_DISCOUNTED = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2, DEEPEST + 2)))])
"""DCG of a ranking whose first 0, 1, 2, … places are relevant."""


def measures(above: Sequence[int] | I64, level: Sequence[int] | I64) -> dict[str, float]:
    """Measure one ranking with all its relevant documents, at least one."""
    start, size = (np.asarray(counts, dtype=np.int64) for counts in (above, level))
    first = int(start.min())
    tied, together = int(size[start == first][0]), int((start == first).sum())
    figures = {"RR": reciprocal_rank(first, tied, together)}
    for k in CUTS:
        inside = min(max(k - first, 0), tied)
        figures[f"Success@{k}"] = 1 - comb(tied - inside, together) / comb(tied, together)
    # Each relevant document stands at each place of its tie equally often.
    low, high = np.minimum(start, DEEPEST), np.minimum(start + size, DEEPEST)
    gained = float(((_DISCOUNTED[high] - _DISCOUNTED[low]) / size).sum())
    figures[f"nDCG@{DEEPEST}"] = gained / float(_DISCOUNTED[min(len(start), DEEPEST)])
    return figures


def reciprocal_rank(above: int, level: int, relevant: int = 1) -> float:
    """Mean reciprocal rank of the first relevant document, over the orders that its tie allows."""
    return sum(chance / (above + position) for position, chance in _first_places(level, relevant))


def expected_rank(above: int, level: int, relevant: int = 1) -> float:
    """Mean rank of the first relevant document, from 1; otherwise as ``reciprocal_rank``."""
    return above + (level + 1) / (relevant + 1)


def _first_places(level: int, relevant: int) -> Iterator[tuple[int, float]]:
    """Places in a tie, from 1, and how likely the first relevant document stands there."""
    ways = comb(level, relevant)
    for position in range(1, level - relevant + 2):
        yield position, comb(level - position, relevant - 1) / ways
