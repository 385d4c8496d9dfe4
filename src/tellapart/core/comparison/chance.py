"""Whether a control scores at chance: an equivalence test, which more items make surer and not stricter."""

from __future__ import annotations

from enum import StrEnum

from tellapart.core.comparison_settings import ALPHA
from tellapart.core.estimate import Interval

CHANCE_MARGIN = 0.03
"""How far from chance an accuracy may lie and still be at chance, in score units."""

CHANCE_LEVEL = 1 - 2 * ALPHA
"""Level of the interval whose two ends are one-sided tests at ``ALPHA``."""


class ChanceOutcome(StrEnum):
    """How an accuracy lies beside that of guessing."""

    AT = "at chance"
    ABOVE = "above chance"
    BELOW = "below chance"
    UNCLEAR = "cannot tell"


def judge_chance(
    interval: Interval | None, chance: float | None, margin: float = CHANCE_MARGIN
) -> ChanceOutcome:
    """Test whether an accuracy is that of guessing, within a margin.

    At chance where two one-sided tests reject that it lies ``margin`` or more away, which is where the whole
    interval lies within the margin. Above or below chance where a one-sided test rejects that it lies within,
    which is where the whole interval lies beyond. A difference that is there but smaller than the margin is
    never an alarm, however many items there are. The interval is at ``CHANCE_LEVEL`` for tests at ``ALPHA``;
    without one, nothing can be told.

    Source:
        Schuirmann 1987, "A comparison of the two one-sided tests procedure and the power approach", by the
        interval. Wilson's interval in place of t: it does not shrink to a point where no answer is right.
    """
    if interval is None or chance is None:
        return ChanceOutcome.UNCLEAR
    low, high = interval.low - chance, interval.high - chance
    if -margin < low and high < margin:
        return ChanceOutcome.AT
    if low > margin:
        return ChanceOutcome.ABOVE
    return ChanceOutcome.BELOW if high < -margin else ChanceOutcome.UNCLEAR
