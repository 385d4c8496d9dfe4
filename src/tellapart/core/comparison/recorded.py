"""Figures of which only a value and its 95 % interval are recorded, held against each other."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from tellapart.core.stats.samples import F64

_QUANTILE_95 = 1.959963984540054


def recorded_z(gap: F64, near: F64, far: F64) -> F64:
    """Give the z of the difference of two independent figures.

    Args:
        gap: Any shape, the difference.
        near: Likewise, from the figure that is ahead to the end of its 95 % interval that lies towards the
            other, >= 0; 0 for a figure that is exact.
        far: From the other figure to the end of its interval that lies towards the first.

    Returns:
        The shape of ``gap``: 0 where there is none, infinite where two exact figures differ. Figures of the
        same items mostly vary together, and then this claims too little rather than too much.

    Source:
        Zou and Donner 2008, "Construction of confidence limits about effect measures: a general approach".
    """
    noise = np.hypot(near, far) / _QUANTILE_95
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(gap == 0, 0.0, gap / noise)


def two_sided(z: F64) -> F64:
    """Give the two-sided p of a z."""
    p: F64 = 2 * ndtr(-np.abs(z))
    return p


def z_of(p: float) -> float:
    """Give the z of a two-sided p, >= 0."""
    return -float(ndtri(p / 2))
