"""Evidence for a difference that holds whenever one stops: what bets against no difference would have won."""

from __future__ import annotations

from math import ceil, exp, log, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp, ndtri

from tellapart.core.arrays import F64, I64
from tellapart.core.estimate import Interval

_STAKES = np.geomspace(0.01, 0.9, 8)
"""Shares of the wealth that are staked; each is best for a mean of about that share of the variance."""

_BISECTION = 1e-10


def log_wealth(sums: F64, sizes: I64, mean: float) -> float:
    """Give the log of what bets on a mean above ``mean`` have made of 1.

    Args:
        sums: Shape (clusters,), the sum of the differences of each cluster's items, each difference in
            [-1, 1].
        sizes: Shape (clusters,), its items.
        mean: Of a difference, in [-1, 1].

    Returns:
        Were the mean at most ``mean``, the wealth would exceed ``1 / level`` at any time with a chance of at
        most ``level``, whatever the differences, if clusters come in random order. 0 without a cluster.

    Source:
        Waudby-Smith and Ramdas 2023, "Estimating means of bounded random variables by betting", with fixed
        stakes that are mixed (there "diversified Kelly") instead of predicted ones, so that the wealth does
        not depend on the order of the items. A cluster is one bet, scaled by the greatest one so far.
    """
    if not len(sums):
        return 0.0
    most = float(sizes.max())
    gains = (sums - mean * sizes) / ((1.0 + mean) * most) if mean > -1 else np.full(len(sums), np.inf)
    if not np.isfinite(gains).all():
        return np.inf
    values, counts = np.unique(gains, return_counts=True)
    return float(logsumexp(np.log1p(np.outer(_STAKES, values)) @ counts) - log(len(_STAKES)))


def betting_p(sums: F64, sizes: I64) -> float:
    """Give the two-sided p of no difference, which may be looked at after every item.

    Args:
        sums: As for `log_wealth`.
        sizes: As for `log_wealth`.

    Returns:
        In (0, 1]; at any number of looks it falls to a level or below with at most that chance.
    """
    best = max(log_wealth(sums, sizes, 0.0), log_wealth(-sums, sizes, 0.0))
    return min(1.0, 2 * exp(-best))


def betting_equivalence_p(sums: F64, sizes: I64, margin: float) -> float:
    """Give the p of a mean difference of at least ``margin``, either way, likewise.

    Args:
        sums: As for `log_wealth`.
        sizes: As for `log_wealth`.
        margin: In (0, 1); from 1 on no difference can be so large, and p is 0.
    """
    if margin >= 1:
        return 0.0
    least = min(log_wealth(sums, sizes, -margin), log_wealth(-sums, sizes, -margin))
    return min(1.0, exp(-least))


def betting_interval(sums: F64, sizes: I64, level: float) -> Interval:
    """Give the means that `betting_p` does not reject at ``level``, within [-1, 1].

    Args:
        sums: As for `log_wealth`.
        sizes: As for `log_wealth`.
        level: Two-sided, in (0, 1).
    """
    return Interval(_lowest(sums, sizes, level), 0.0 - _lowest(-sums, sizes, level))


def _lowest(sums: F64, sizes: I64, level: float) -> float:
    wanted = log(2 / level)

    def over(mean: float) -> float:
        return min(log_wealth(sums, sizes, mean), 1e6) - wanted

    if not len(sums) or over(-1 + _BISECTION) <= 0:
        return -1.0
    # The wealth falls with the mean against which is bet.
    return float(brentq(over, -1 + _BISECTION, 1.0, xtol=_BISECTION))


def betting_items_needed(
    difference: float, sd: float, *, power: float, level: float, design_effect: float = 1.0
) -> int | None:
    """Give the items with which bets would win often enough.

    Args:
        difference: True mean, in [-1, 1].
        sd: Standard deviation over items, >= 0.
        power: The chance of it, in [0.5, 1).
        level: Two-sided, in (0, 1).
        design_effect: Variance inflation by clusters.

    Returns:
        None where the difference is 0. An approximation: the stake that grows fastest counts alone, its
        logarithm being taken for normal, with the first two moments of a difference.
    """
    gap, variance = abs(difference), sd**2 * design_effect
    if not gap:
        return None
    growth = _STAKES * gap - _STAKES**2 * (variance + gap**2) / 2
    stakes, growth = _STAKES[growth > 0], growth[growth > 0]
    if not len(stakes):
        return None
    wanted, spread = log(2 * len(_STAKES) / level), float(ndtri(power)) * stakes * sqrt(variance)
    return ceil(float(np.min(((spread + np.sqrt(spread**2 + 4 * growth * wanted)) / (2 * growth)) ** 2)))
