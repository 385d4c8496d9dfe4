"""A share among some files against the share among all others, conversation by conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tellapart.codesearch.results.learnings import ComparedShares
from tellapart.core.comparison import ALPHA, Claim, claims, paired_effect
from tellapart.core.stats import mean_once

PATTERN = 3
"""Conversations that make a pattern; what fewer show is an outlier."""

FAR = 0.15
"""A difference of shares below this is not worth a change; as far as an area is below the whole."""

FEWEST_FILES = 3
"""Nor is a difference of fewer files than this."""


@dataclass(frozen=True)
class Counts:
    """The files of one conversation: how many of those here, and of all others, are of a sort."""

    part: int
    whole: int
    part_elsewhere: int
    whole_elsewhere: int

    @property
    def comparable(self) -> bool:
        """Whether there are files both here and elsewhere."""
        return self.whole > 0 and self.whole_elsewhere > 0


@dataclass(frozen=True)
class Against:
    """What the comparison shows.

    Attributes:
        conversations: Those with files both here and elsewhere; the others are left out.
        here: Mean over them of the share here, in [0, 1]; None where there are none.
        elsewhere: Likewise of all other files.
        difference: ``here`` less ``elsewhere``.
        interval: Of the difference, 95 %, which holds 0 exactly where ``p`` is above 5 %; None where the
            conversations are too few.
        p: Two-sided, of a difference as large when what is here and what is elsewhere change places at
            random in each conversation; see `core.comparison.paired_effect`.
        p_holm: ``p`` with Holm's correction over all that was compared in the same way.
        beyond_chance: Whether that is a claim; None without a test.
        excess: Files of the sort here beyond those that there would be at the share of elsewhere.
    """

    conversations: int
    here: float | None = None
    elsewhere: float | None = None
    difference: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None
    p_holm: float | None = None
    beyond_chance: bool | None = None
    excess: float = 0.0

    def clear(self, sign: int) -> bool:
        """Whether the share here is clearly above (1) or below (-1) that of elsewhere.

        So it is in ``PATTERN`` conversations or more, by ``FAR`` and by ``FEWEST_FILES`` at least, with a
        ``p`` of at most ``ALPHA`` or, with conversations too few for that, with the least that they allow:
        all of them agree.
        """
        if self.conversations < PATTERN or self.difference is None or self.p is None:
            return False
        # .5 - .35 is above .15 by rounding alone.
        far = round(sign * self.difference, 9) >= FAR and round(sign * self.excess, 9) >= FEWEST_FILES
        return far and self.p <= max(ALPHA, 2.0 ** (1 - self.conversations) + 1e-12)

    @property
    def claim(self) -> Claim:
        """What may be claimed of it among all that was compared."""
        return Claim(self.p, self.p_holm, self.beyond_chance)

    def record(self) -> ComparedShares:
        """The same as it is stored."""
        return ComparedShares(**vars(self))


def against(rows: Sequence[Counts], seed: int) -> Against:
    """Compare shares.

    Args:
        rows: One a conversation, in an order that does not depend on the input's.
        seed: Of the signs that are drawn where they are too many to count.
    """
    used = [row for row in rows if row.comparable]
    here = np.array([row.part / row.whole for row in used])
    elsewhere = np.array([row.part_elsewhere / row.whole_elsewhere for row in used])
    if not used:
        return Against(0)
    effect = paired_effect(here, elsewhere, seed=seed)
    means = mean_once(here.tolist()), mean_once(elsewhere.tolist())
    excess = sum(row.part - row.whole * row.part_elsewhere / row.whole_elsewhere for row in used)
    interval = (effect.interval.low, effect.interval.high) if effect.interval else None
    return Against(len(used), *means, effect.difference, interval, effect.p, excess=float(excess))


def corrected(comparisons: Sequence[Against]) -> list[Against]:
    """Correct for having compared so many; those with fewer conversations than a pattern are not claimed."""
    claimed = claims([one.p if one.conversations >= PATTERN else None for one in comparisons])
    return [
        replace(one, p_holm=claim.p_adjusted, beyond_chance=claim.holds)
        for one, claim in zip(comparisons, claimed, strict=True)
    ]
