"""Whether two models differ by less than matters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtr

from tellapart.core.stats.paired_score import paired_score
from tellapart.core.stats.samples import F64


def tost(difference: ArrayLike, standard_error: ArrayLike, df: ArrayLike, margin: float) -> F64:
    """Test equivalence by two one-sided t tests.

    Args:
        difference: Any shape, mean differences in score units.
        standard_error: As many, > 0; NaN where there is none.
        df: As many degrees of freedom: items - 1, or clusters - 1 for clustered standard errors.
        margin: Smallest difference that matters, in score units, > 0.

    Returns:
        The p of "they differ by ``margin`` or more", the larger of the two; NaN without a standard error.

    Raises:
        ValueError: The margin is not positive.

    Source:
        Schuirmann 1987, "A comparison of the two one-sided tests procedure and the power approach";
        Lakens 2017, "Equivalence tests".
    """
    _check(margin)
    nearest = margin - np.abs(np.asarray(difference, dtype=np.float64))
    p: F64 = stdtr(np.asarray(df, dtype=np.float64), -nearest / np.asarray(standard_error, dtype=np.float64))
    return p


def tost_binary(only_a: ArrayLike, only_b: ArrayLike, n: ArrayLike, margin: float) -> F64:
    """Test equivalence of two models that are right or wrong on each of n independent items.

    Two one-sided score tests, whose variance is that of models exactly ``margin`` apart. The t tests of
    `tost` take it from the few items on which the models differ: where all of 150 items but one agree, they
    call one in five pairs equivalent that are .02 apart, and these tests one in twenty. Models that agree on
    all items are equivalent with p = (1 - margin)^n: so rarely would models agree that differ on a share
    ``margin`` of all items.

    Args:
        only_a: Any shape, items that only A gets right.
        only_b: As many, items that only B gets right.
        n: As many, items, >= 1.
        margin: Smallest difference in rates that matters, > 0; nothing reaches one above 1.

    Returns:
        The p of "they differ by ``margin`` or more", the larger of the two.

    Raises:
        ValueError: The margin is not positive.

    Source:
        As `paired_score`; for no difference at all, Hanley and Lippman-Hand 1983, "If nothing goes
        wrong, is everything all right?", the rule of three.
    """
    _check(margin)
    a, b, size = (np.asarray(values, dtype=np.float64) for values in (only_a, only_b, n))
    if margin >= 1:
        return np.where(np.abs(a - b) / size < margin, 0.0, 1.0)
    ahead, behind = np.maximum(a, b), np.minimum(a, b)
    p = ndtr(paired_score(ahead, behind, size, margin))
    return np.where(ahead > 0, p, (1 - margin) ** size)


def tost_constant(difference: ArrayLike, n: ArrayLike, margin: float, span: float) -> F64:
    """Test equivalence of two models whose difference is the same on all of n independent items.

    A mean difference of ``margin`` would take a share (margin - |difference|) / (span - |difference|) of
    items on which they differ as much as can be; the p is the chance that none of them is among the n.

    Args:
        difference: Any shape, in score units.
        n: As many, items, or clusters where these are independent and not the items.
        margin: Smallest difference that matters, in score units, > 0.
        span: Greatest possible difference of an item, in score units; inf where there is none.

    Returns:
        The p of "they differ by ``margin`` or more"; 1 where the difference is that large or ``span`` is inf.

    Raises:
        ValueError: The margin is not positive.

    Source:
        As `tost_binary`, the rule of three, for scores in between.
    """
    _check(margin)
    distance = np.abs(np.asarray(difference, dtype=np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.clip((margin - distance) / (span - distance), 0.0, 1.0)
    share = np.where(distance < margin, np.nan_to_num(share), 0.0)
    p: F64 = (1 - share) ** np.asarray(n, dtype=np.float64)
    return p


def _check(margin: float) -> None:
    if not margin > 0:
        raise ValueError(f"margin is {margin!r}, expected a positive difference in score units.")
