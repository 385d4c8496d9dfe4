"""The score test and interval of the difference between two models' rates on the same items."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from tellapart.core.stats.intervals import upper_quantile
from tellapart.core.stats.samples import F64

_HALVINGS = 60


def paired_score(only_a: ArrayLike, only_b: ArrayLike, n: ArrayLike, gap: ArrayLike) -> F64:
    """Give the score statistic of "A's rate is ``gap`` above B's".

    Args:
        only_a: Any shape, items that only A gets right.
        only_b: As many, items that only B gets right.
        n: As many, items, >= 1.
        gap: As many, in (-1, 1).

    Returns:
        Standard normal if the gap is that: below 0 where A is less ahead. 0 where the items differ by the gap
        and could not differ otherwise.

    Source:
        Tango 1998, "Equivalence test and confidence interval for the difference in proportions for the
        paired-sample design".
    """
    a, b, size, signed = (np.asarray(values, dtype=np.float64) for values in (only_a, only_b, n, gap))
    least = np.abs(signed)
    ahead, behind = np.where(signed < 0, b, a), np.where(signed < 0, a, b)
    linear = (2 * size - ahead + behind) * least - ahead - behind
    constant = behind * least * (1 - least)
    root = np.hypot(linear, np.sqrt(8 * size * constant))
    # Of the two ways to write the root of the quadratic, the one that subtracts no equals.
    with np.errstate(divide="ignore", invalid="ignore"):
        rate_behind = np.where(linear > 0, 2 * constant / (linear + root), (root - linear) / (4 * size))
        distance = ahead - behind - size * least
        score = distance / np.sqrt(size * (2 * rate_behind + least * (1 - least)))
    return np.where(distance == 0, 0.0, np.where(signed < 0, -score, score))


def paired_score_interval(
    only_a: ArrayLike, only_b: ArrayLike, n: ArrayLike, *, level: float = 0.95
) -> tuple[F64, F64]:
    """Give the interval of the difference between two models' rates: the gaps that the score test accepts.

    What Wilson's interval is to one rate. With k items, all of them only A's, it includes 0 up to 3 at 95 %;
    the exact McNemar test asks for 6, so near its level it is the stricter of the two.

    Args:
        only_a: Shape (m,), items that only A gets right.
        only_b: Shape (m,), items that only B gets right.
        n: Shape (m,), items, >= 1, independent of each other.
        level: Confidence in (0, 1).

    Returns:
        Lower and upper ends, each of shape (m,), in [-1, 1]; 0 +- z^2 / (n + z^2) for models that never
        differ.

    Source:
        As `paired_score`; the ends by bisection.
    """
    a, b, size = (np.asarray(values, dtype=np.float64) for values in (only_a, only_b, n))
    z = float(ndtri(upper_quantile(level)))
    return -_upper_end(b, a, size, z), _upper_end(a, b, size, z)


def _upper_end(only_a: F64, only_b: F64, n: F64, z: float) -> F64:
    low, high = (only_a - only_b) / n, np.ones_like(n)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        accepted = paired_score(only_a, only_b, n, middle) >= -z
        low, high = np.where(accepted, middle, low), np.where(accepted, high, middle)
    return low
