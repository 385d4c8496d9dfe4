"""How consistently items rank those who answer them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.core.arrays import F64


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
