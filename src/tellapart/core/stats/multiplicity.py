"""Adjusted p-values for many comparisons made at once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tellapart.core.arrays import F64
from tellapart.core.stats.samples import unit_values


def holm(p_values: ArrayLike) -> F64:
    """Adjust p-values so that the chance of any false claim is held.

    Args:
        p_values: Shape (m,), each in [0, 1], any dependence; m may be 0.

    Returns:
        Shape (m,), in input order, in [0, 1]; a claim holds at level alpha where the value is <= alpha.
        Equal p-values stay equal.

    Source:
        Holm 1979, "A simple sequentially rejective multiple test procedure".
    """
    p = unit_values(p_values, "p_values")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(stepped)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def holm_known(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust those p-values that are known by `holm`; comparisons that could not be tested stay None."""
    adjusted = iter(holm([p for p in p_values if p is not None]).tolist())
    return [None if p is None else next(adjusted) for p in p_values]


def holm_levels(
    p_values: Sequence[float | None], adjusted: Sequence[float | None], alpha: float
) -> list[float | None]:
    """Give the level at which Holm tested each: alpha over those with no smaller p, as far as he went.

    Args:
        p_values: Of a family; None where there was no test.
        adjusted: The same after Holm.
        alpha: Chance of any false claim in the family.
    """
    defined = sorted(p for p in p_values if p is not None)
    still = len(defined) - sum(q is not None and q <= alpha for q in adjusted)
    last = alpha / max(1, still)
    levels: list[float | None] = []
    for p, q in zip(p_values, adjusted, strict=True):
        if p is None or q is None:
            levels.append(None)
        else:
            levels.append(alpha / (len(defined) - bisect_left(defined, p)) if q <= alpha else last)
    return levels
