"""Claims about other things than models, such as areas or positions, corrected over their family."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import ndtr

from tellapart.core.comparison.settings import ALPHA
from tellapart.core.stats import Discordant, holm_known, mcnemar_exact


@dataclass(frozen=True)
class Claim:
    """One of a family of tests.

    Attributes:
        p: Its p, or None where it could not be tested.
        p_adjusted: After Holm over those of the family that were tested, or None.
        holds: Whether the claim holds at ``ALPHA``; None without a test.
    """

    p: float | None
    p_adjusted: float | None
    holds: bool | None


def is_difference(difference: float, variance: float, discordant: Discordant | None, level: float) -> bool:
    """Say whether two models differ on items of one kind, for advice on which items to add.

    Args:
        difference: Mean of a - b.
        variance: Of that mean, with the clusters' design effect.
        discordant: Items that exactly one of the two gets right, where exact McNemar is to decide; else None,
            and the difference is taken for normal.
        level: Two-sided, in (0, 1).
    """
    if discordant is not None:
        return mcnemar_exact(discordant.only_a, discordant.only_b) <= level
    return variance <= 0 or 2 * float(ndtr(-abs(difference) / math.sqrt(variance))) <= level


def claims(
    p_values: Sequence[float | None], *, alpha: float = ALPHA, looks: int | None = None
) -> list[Claim]:
    """Correct a family of tests by Holm's method and say which claims hold.

    Args:
        p_values: Two-sided or one-sided, as the tests are; None where there was none.
        alpha: Chance of any false claim in the family, in (0, 1).
        looks: The size of the family where these tests are only those of it that somebody looked at; each p
            is then multiplied by it, as Bonferroni did. None where they are all of it.
    """
    if looks is not None:
        adjusted = [None if p is None else min(1.0, p * looks) for p in p_values]
    else:
        adjusted = holm_known(p_values)
    return [Claim(p, q, None if q is None else q <= alpha) for p, q in zip(p_values, adjusted, strict=True)]


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
