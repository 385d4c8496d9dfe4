"""Figures without their items: how far two are apart beyond noise, and whether that is more than luck."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from tellapart.core.arrays import F64
from tellapart.core.comparison.effects import Claim
from tellapart.core.comparison_settings import ALPHA
from tellapart.core.stats.intervals import NORMAL_95


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
    noise = np.hypot(near, far) / NORMAL_95
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(gap == 0, 0.0, gap / noise)


def z_of(p: float) -> float:
    """Give the z of a two-sided p, >= 0."""
    return -float(ndtri(p / 2))


def clear_z(looks: int) -> float:
    """Give the z from which a difference holds as one of so many; see `clearest_claims`."""
    return z_of(ALPHA / max(1, looks))


def clearest_claims(z: F64, looks: int) -> tuple[Claim, ...]:
    """Claim the clearest of many differences, which nobody could name before looking at all of them.

    Args:
        z: Shape (n,), >= 0, of the differences that were picked.
        looks: How many differences there were to pick from; each p is multiplied by it, as Bonferroni did.
    """
    p_values = (2 * ndtr(-np.abs(z))).tolist()
    adjusted = [min(1.0, p * looks) for p in p_values]
    return tuple(Claim(p, q, q <= ALPHA) for p, q in zip(p_values, adjusted, strict=True))
