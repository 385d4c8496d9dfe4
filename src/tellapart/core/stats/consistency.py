"""How consistently items order models: each with the others, all together, and one order with another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


@dataclass(frozen=True)
class Consistency:
    """Internal consistency of a set of items.

    Attributes:
        coefficient: ``kr20`` where every score is 0 or 1, else ``alpha``.
        value: At most 1; below 0 where items disagree; ``None`` where ``reason`` says why.
        complete: Shape (items,), true for the items that it is computed over, on which every model has a
            score.
        reason: Why there is no value.
    """

    coefficient: str
    value: float | None
    complete: NDArray[np.bool_]
    reason: str | None = None


def consistency(scores: ArrayLike) -> Consistency:
    """Give KR-20 or Cronbach's alpha, with models in place of persons.

    k / (k - 1) x (1 - sum of the items' variances / variance of the models' totals). Kuder and Richardson
    divide by n, most programs for alpha by n - 1; as long as both variances have the same divisor it cancels,
    and it does here, so that KR-20 is alpha for scores of 0 and 1. ``scores`` has shape (models, items), NaN
    is missing.

    Returns:
        The coefficient over the items that every model has a score on. No value, and a reason, below three
        models or two such items, and where all models have the same total. Of two models it would be
        k / (k - 1) x (1 - d / g^2), d the items that only one gets right and g how many more the better does:
        -30 as soon as the two nearly tie, which says nothing of the items.

    Source:
        Kuder and Richardson 1937, "The theory of the estimation of test reliability", formula 20; Cronbach
        1951, "Coefficient alpha and the internal structure of tests".
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"scores has shape {table.shape}, expected two dimensions: models and items.")
    complete = np.asarray(~np.isnan(table).any(axis=0) & (len(table) > 0), dtype=bool)
    used = table[:, complete]
    coefficient = "kr20" if used.size and bool(((used == 0) | (used == 1)).all()) else "alpha"
    reason = _why_not(used)
    if reason is not None:
        return Consistency(coefficient, None, complete, reason)
    k = used.shape[1]
    # About the items' means, the totals keep their variance and lose nothing to rounding.
    deviations = used - used.mean(axis=0)
    totals = deviations.sum(axis=1)
    of_items = float(np.square(deviations).sum(axis=0).sum())
    of_totals = float(np.square(totals - totals.mean()).sum())
    scale = float(np.abs(used).max())
    if of_totals <= len(used) * (1e-12 * k * scale) ** 2:
        return Consistency(coefficient, None, complete, "all models have the same total")
    return Consistency(coefficient, k / (k - 1) * (1 - of_items / of_totals), complete)


def _why_not(used: F64) -> str | None:
    models, items = used.shape
    if models < 3:
        return f"it needs three models; there {'are' if models == 2 else 'is'} {models or 'none'}"
    if items < 2:
        return f"it needs two items that every model has a score on; there is {items or 'none'}"
    return None


LEAST = 3
"""Things that an order takes: two have only one order and its reverse."""


def kendall_tau_b(left: F64, right: F64) -> list[float | None]:
    """Compare many pairs of orders at once by Kendall's tau-b.

    (concordant - discordant) / sqrt(pairs untied left x pairs untied right), in [-1, 1]. Both have shape
    (comparisons, things); NaN leaves the thing out of its comparison.

    Returns:
        One a comparison; None where fewer than ``LEAST`` things have both values, or a side ties throughout.

    Source:
        Kendall 1945, "The treatment of ties in ranking problems".
    """
    present = ~(np.isnan(left) | np.isnan(right))
    agreeing, untied_left, untied_right = (np.zeros(len(left), dtype=np.int64) for _ in range(3))
    for i in range(left.shape[1] - 1):
        both = present[:, i + 1 :] & present[:, i, None]
        signs_left, signs_right = (
            np.where(both, np.sign(side[:, i + 1 :] - side[:, i, None]), 0).astype(np.int64)
            for side in (left, right)
        )
        agreeing += (signs_left * signs_right).sum(axis=1)
        untied_left += np.abs(signs_left).sum(axis=1)
        untied_right += np.abs(signs_right).sum(axis=1)
    defined = (present.sum(axis=1) >= LEAST) & (untied_left > 0) & (untied_right > 0)
    untied = np.sqrt(untied_left.astype(np.float64) * untied_right)
    taus = agreeing / np.where(defined, untied, 1.0)
    return [
        tau if is_defined else None for tau, is_defined in zip(taus.tolist(), defined.tolist(), strict=True)
    ]
