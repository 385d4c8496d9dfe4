"""Claims about other things than models, such as areas or positions, corrected over their family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.core.comparison.settings import ALPHA
from tellapart.core.stats import holm_known


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


def claims(p_values: Sequence[float | None], *, alpha: float = ALPHA) -> list[Claim]:
    """Correct a family of tests by Holm's method and say which claims hold.

    Args:
        p_values: Two-sided or one-sided, as the tests are; None where there was none.
        alpha: Chance of any false claim in the family, in (0, 1).
    """
    adjusted = holm_known(p_values)
    return [Claim(p, q, None if q is None else q <= alpha) for p, q in zip(p_values, adjusted, strict=True)]
