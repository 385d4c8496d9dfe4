"""How alike two orders of the same things are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F64

LEAST = 3
"""Things that an order takes: two have only one order and its reverse."""


def kendall_tau_b(left: F64, right: F64) -> list[float | None]:
    """Compare many pairs of orders at once by Kendall's tau-b.

    (concordant - discordant) / sqrt(pairs untied left x pairs untied right), in [-1, 1].

    Args:
        left: Shape (comparisons, things), finite values; NaN leaves the thing out of its comparison.
        right: Of the same shape, on the same things.

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


def pearson(left: F64, right: F64) -> list[float | None]:
    """Compare many pairs of measurements at once by Pearson's correlation.

    Args:
        left: Shape (comparisons, things), finite values; NaN leaves the thing out of its comparison.
        right: Of the same shape, on the same things.

    Returns:
        One a comparison, in [-1, 1]; None where fewer than ``LEAST`` things have both values, or a side does
        not vary.
    """
    present = ~(np.isnan(left) | np.isnan(right))
    counts = present.sum(axis=1)
    away_left, away_right = (_away(side, present, counts) for side in (left, right))
    squares = [np.square(away).sum(axis=1) for away in (away_left, away_right)]
    defined = (counts >= LEAST) & (squares[0] > 0) & (squares[1] > 0)
    scale = np.where(defined, np.sqrt(squares[0]) * np.sqrt(squares[1]), 1.0)
    correlations = np.clip((away_left * away_right).sum(axis=1) / scale, -1, 1)
    return [
        r if is_defined else None
        for r, is_defined in zip(correlations.tolist(), defined.tolist(), strict=True)
    ]


def _away(side: F64, present: NDArray[np.bool_], counts: NDArray[np.int64]) -> F64:
    """Distance from the mean of the known things; 0 where all of them are equal, whatever rounding does."""
    first = np.where(present, side, np.inf).min(axis=1, initial=np.inf, keepdims=True)
    shifted = np.where(present, side - np.where(np.isfinite(first), first, 0.0), 0.0)
    mean = shifted.sum(axis=1, keepdims=True) / np.maximum(counts, 1)[:, None]
    return np.where(present, shifted - mean, 0.0)
