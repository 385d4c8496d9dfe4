"""How the models' scores on an item go with their scores on the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tellapart.core.arrays import F64

FEWEST_MODELS = 4
"""Of three models every order has a chance of 1/6 or more, so no correlation could be told from luck."""

# A standard deviation below this share of the greatest score is rounding.
_ROUNDING = 1e-12

_CELLS_A_BLOCK = 1 << 18


def rest_correlations(scores: ArrayLike) -> F64:
    """Correlate the models' scores on each item with their means over the other items.

    The corrected item-total correlation, in which the item is no part of the total. Where scores are missing,
    the total is the mean over those of the other items that the model has a score on, so a model that missed
    hard items passes for better than it is. ``scores`` has shape (models, items), NaN is missing.

    Returns:
        Shape (items,), Pearson's correlation over models, in [-1, 1]; NaN below ``FEWEST_MODELS`` and where
        the scores on the item, or the means, do not vary.

    Source:
        Henrysson 1963, "Correction of item-total correlations in item analysis".
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"scores has shape {table.shape}, expected two dimensions: models and items.")
    there = ~np.isnan(table)
    totals, counts = np.where(there, table, 0.0).sum(axis=1), there.sum(axis=1)
    greatest = float(np.abs(table[there]).max(initial=0.0))
    size = max(1, _CELLS_A_BLOCK // max(len(table), 1))
    blocks = [
        _correlations(table[:, start : start + size], totals[:, None], counts[:, None], greatest)
        for start in range(0, table.shape[1], size)
    ]
    return np.concatenate(blocks) if blocks else np.zeros(0)


def _correlations(scores: F64, totals: F64, counts: F64, greatest: float) -> F64:
    rest = (totals - scores) / np.where(counts > 1, counts - 1, np.nan)
    both = ~np.isnan(rest)
    n = both.sum(axis=0)
    x, y = (np.where(both, values, 0.0) for values in (scores, rest))
    x, y = (np.where(both, values - values.sum(axis=0) / np.maximum(n, 1), 0.0) for values in (x, y))
    xx, yy = np.square(x).sum(axis=0), np.square(y).sum(axis=0)
    rounding = n * (_ROUNDING * greatest) ** 2
    defined = (xx > rounding) & (yy > rounding) & (n >= FEWEST_MODELS)
    r = np.full(scores.shape[1], np.nan)
    np.divide((x * y).sum(axis=0), np.sqrt(np.where(defined, xx * yy, 1.0)), out=r, where=defined)
    return np.asarray(np.clip(r, -1.0, 1.0), dtype=np.float64)
