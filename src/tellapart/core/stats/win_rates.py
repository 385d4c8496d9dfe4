"""How often one model scores higher than another on the same item."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from tellapart.core.stats.samples import F64


def win_rates(scores: ArrayLike) -> F64:
    """Give the share of common items on which each model scores higher than each other.

    Args:
        scores: Shape (models, items), any unit; NaN is missing.

    Returns:
        Shape (models, models), in [0, 1]: row over column, equal scores counting half. NaN for a model with
        itself and for two that have no item in common.
    """
    table = np.asarray(scores, dtype=np.float64)
    complete = [not np.isnan(row).any() for row in table]
    rates = np.full((len(table), len(table)), np.nan)
    for a, b in combinations(range(len(table)), 2):
        first, second = table[a], table[b]
        if not (complete[a] and complete[b]):
            common = ~np.isnan(first - second)
            first, second = first[common], second[common]
        if len(first):
            won = np.count_nonzero(first > second) + np.count_nonzero(first == second) / 2
            rates[a, b], rates[b, a] = won / len(first), (len(first) - won) / len(first)
    return rates
