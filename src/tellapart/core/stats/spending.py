"""Testing several times while scores come in: how much of the level each look may spend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from tellapart.core.arrays import F64

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

INFLATION = 1.11
"""How many more items than a single look a design with 20 looks takes at most."""

_EXPONENT = 2.0
"""So much of a level is spent up to a share t of the planned items: ``level * t ** 2``."""

_NODES = 160
_LEAST = 1e-30
_FURTHEST = 40.0

_GRID = np.concatenate([np.geomspace(1e-12, 0.2, 60), np.linspace(0.2, 1 - 1e-9, 40)[1:]])
"""Levels of all looks together at which `spent_p` and `nominal_level` are exact; a cubic between them."""


@dataclass(frozen=True)
class Look:
    """One look of several, or the only one.

    Attributes:
        fractions: The shares of the greatest number of items at all looks so far; none of an only look.
    """

    fractions: tuple[float, ...] = ()

    def adjusted(self, p: F64) -> F64:
        """Turn p of the test into p of all looks up to this one."""
        return spent_p(p, self.fractions) if self.fractions else p

    def nominal(self, level: float) -> float:
        """Give the level of the test at this look for a level of all looks together."""
        return nominal_level(level, self.fractions) if self.fractions else level


ONE_LOOK = Look()
"""The only look at scores that are complete."""


@dataclass(frozen=True)
class _Paths:
    """A look's level, what is spent by then, and where the paths are that have crossed at none so far."""

    level: float
    spent: float
    position: F64
    mass: F64


@lru_cache(maxsize=1)
def _gauss() -> tuple[F64, F64]:
    return np.polynomial.legendre.leggauss(_NODES)


@lru_cache(maxsize=4096)
def _paths(fractions: tuple[float, ...], level: float) -> _Paths:
    """Go on from the look before with the density of the paths that have not crossed."""
    if not fractions:
        return _Paths(level, 0.0, np.zeros(1), np.ones(1))
    before, share = _paths(fractions[:-1], level), fractions[-1]
    allowed = max(level * share**_EXPONENT / 2 - before.spent, _LEAST)
    sd = sqrt(share - (fractions[-2] if len(fractions) > 1 else 0.0))
    edge = _edge(before.position, before.mass, sd, allowed, _FURTHEST * sqrt(share))
    nodes, weights = _gauss()
    inside = nodes * edge
    density = np.exp(-(((inside[:, None] - before.position) / sd) ** 2) / 2) @ before.mass
    mass = density / (sd * sqrt(2 * np.pi)) * weights * edge
    nominal = min(float(2 * ndtr(-edge / sqrt(share))), level)
    return _Paths(nominal, before.spent + allowed, inside, mass)


@lru_cache(maxsize=256)
def _nominal(fractions: tuple[float, ...]) -> F64:
    """The level of the last look for each level of the grid."""
    return np.array([_paths(fractions, float(level)).level for level in _GRID])


def nominal_level(level: float, fractions: Sequence[float]) -> float:
    """Give the level of the last look, so that all together claim falsely at most at ``level``, two-sided.

    ``fractions`` are the shares of the planned items at each look so far, ascending, in (0, 1].

    Source:
        Lan and DeMets 1983, "Discrete sequential boundaries for clinical trials", with the spending function
        of Kim and DeMets 1987; the recursion is that of Armitage, McPherson and Rowe 1969. Both sides are
        spent on alike; that a path crosses one side and would later have crossed the other is not counted
        twice.
    """
    curve = _cubic(np.log(_GRID), np.log(_nominal(tuple(fractions))))
    return float(np.exp(curve(np.log(level))))


def _cubic(x: F64, y: F64) -> CubicSpline:
    # A single look needs none, and importing it takes as long as an audit.
    from scipy.interpolate import CubicSpline

    return CubicSpline(x, y)


def _edge(position: F64, mass: F64, sd: float, allowed: float, furthest: float) -> float:
    from scipy.optimize import brentq

    def beyond(edge: float) -> float:
        return float(mass @ ndtr((position - edge) / sd)) - allowed

    return float(brentq(beyond, 0.0, furthest, xtol=1e-12))


def spent_p(p: ArrayLike, fractions: Sequence[float]) -> F64:
    """Give the level of all looks together at which the last one would just have claimed, in [p, 1].

    ``p`` is two-sided, at the last look; NaN stays NaN. A claim holds at a level where the result is at most
    that level.

    Source:
        Jennison and Turnbull 2000, "Group Sequential Methods", section 8.4, for p-values from repeated tests.
    """
    shares, tested = tuple(fractions), np.asarray(p, dtype=np.float64)
    nominal = _nominal(shares)
    curve = _cubic(np.log(nominal), np.log(_GRID))
    with np.errstate(divide="ignore"):
        inside = np.exp(curve(np.log(np.clip(tested, nominal[0], nominal[-1]))))
    # Below the grid both shrink alike.
    spent = np.where(tested < nominal[0], tested * _GRID[0] / nominal[0], inside)
    return np.where(np.isnan(tested), np.nan, np.where(tested >= nominal[-1], 1.0, np.maximum(spent, tested)))
