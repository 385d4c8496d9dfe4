"""Testing several times while scores come in: how much of the level each look may spend."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from tellapart.core.arrays import F64

INFLATION = 1.11
"""How many more items than a single look a design with 20 looks takes at most."""

_EXPONENT = 2.0
"""So much of a level is spent up to a share t of the planned items: ``level * t ** 2``."""

_NODES = 160
_LEAST = 1e-15
_FURTHEST = 40.0


def nominal_levels(fractions: Sequence[float], level: float) -> F64:
    """Give the level at which each look tests, so that all looks together claim falsely at most at ``level``.

    Args:
        fractions: Shape (looks,), the share of the planned items at each look, ascending, in (0, 1].
        level: Two-sided, of all looks together, in (0, 1).

    Returns:
        Shape (looks,), two-sided, each at most ``level``. They depend on the looks so far alone.

    Source:
        Lan and DeMets 1983, "Discrete sequential boundaries for clinical trials", with the spending function
        of Kim and DeMets 1987; the recursion is that of Armitage, McPherson and Rowe 1969. Both sides are
        spent on alike; that a path crosses one side and would later have crossed the other is not counted
        twice.
    """
    shares = np.asarray(fractions, dtype=np.float64)
    if not (0 < level < 1) or (np.diff(shares, prepend=0.0) <= 0).any() or (shares > 1).any():
        raise ValueError(f"The level is {level} and the fractions are {list(fractions)}.")
    return np.array(_levels(tuple(shares.tolist()), level))


@lru_cache(maxsize=4096)
def _levels(fractions: tuple[float, ...], level: float) -> tuple[float, ...]:
    """Go from look to look with the density of the paths that have not crossed."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    spent = before = 0.0
    levels: list[float] = []
    position, mass = np.zeros(1), np.ones(1)
    for share in fractions:
        allowed = max(level * share**_EXPONENT / 2 - spent, _LEAST)
        spent += allowed
        sd = sqrt(share - before)
        edge = _edge(position, mass, sd, allowed, _FURTHEST * sqrt(share))
        levels.append(min(float(2 * ndtr(-edge / sqrt(share))), level))
        inside = nodes * edge
        density = np.exp(-(((inside[:, None] - position) / sd) ** 2) / 2) @ mass / (sd * sqrt(2 * np.pi))
        position, mass, before = inside, density * weights * edge, share
    return tuple(levels)


def _edge(position: F64, mass: F64, sd: float, allowed: float, furthest: float) -> float:
    def beyond(edge: float) -> float:
        return float(mass @ ndtr((position - edge) / sd)) - allowed

    return float(brentq(beyond, 0.0, furthest, xtol=1e-12))


def spent_p(p: float, fractions: Sequence[float]) -> float:
    """Give the level of all looks together at which the last one would just have claimed.

    Args:
        p: Two-sided, at the last look, in [0, 1].
        fractions: As for `nominal_levels`, of all looks so far.

    Returns:
        In [p, 1]; a claim holds at a level where this is at most that level.

    Source:
        Jennison and Turnbull 2000, "Group Sequential Methods", section 8.4, for p-values from repeated tests.
    """
    shares = tuple(fractions)

    def short(exponent_of_level: float) -> float:
        level = float(np.exp(exponent_of_level))
        return float(np.log(_levels(shares, level)[-1])) - float(np.log(p))

    highest = 1 - 1e-9
    if p <= 0:
        return 0.0
    if p >= _levels(shares, highest)[-1]:
        return 1.0
    return float(np.exp(brentq(short, np.log(p) + np.log1p(-1e-12), np.log(highest), xtol=1e-10)))
