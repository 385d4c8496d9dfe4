"""Measures of one ranking, as expectations over the orders that ties allow."""

from __future__ import annotations

from collections.abc import Sequence
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
    """Measure one ranking by its relevant documents, at least one.

    Args:
        above: Of each relevant document, how many score higher.
        level: How many score the same, itself included.

    Returns:
        ``MEASURES``, and of the first relevant document the best ``rank``, from 1, and ``ties`` with others.
    """
    start, size = (np.asarray(counts, dtype=np.int64) for counts in (above, level))
    first = int(start.min())
    tied, together = int(size[start == first][0]), int((start == first).sum())
    orders = comb(tied, together)
    # How likely the first relevant document stands at each place of its tie, from 1.
    chances = [(place, comb(tied - place, together - 1) / orders) for place in range(1, tied - together + 2)]
    figures = {"RR": sum(chance / (first + place) for place, chance in chances)}
    for k in CUTS:
        inside = min(max(k - first, 0), tied)
        figures[f"Success@{k}"] = 1 - comb(tied - inside, together) / orders
    # Each relevant document stands at each place of its tie equally often.
    low, high = np.minimum(start, DEEPEST), np.minimum(start + size, DEEPEST)
    gained = float(((_DISCOUNTED[high] - _DISCOUNTED[low]) / size).sum())
    figures[f"nDCG@{DEEPEST}"] = gained / float(_DISCOUNTED[min(len(start), DEEPEST)])
    return figures | {"rank": first + 1, "ties": tied - together}
