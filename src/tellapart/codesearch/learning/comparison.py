"""A share among some files against the share among all others, conversation by conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
class ConversationCounts:
    """The files of one conversation: how many of those here, and of all others, are of a sort."""

    part: int
    whole: int
    part_elsewhere: int
    whole_elsewhere: int

    @property
    def comparable(self) -> bool:
        """Whether there are files both here and elsewhere."""
        return self.whole > 0 and self.whole_elsewhere > 0


NOT_COMPARED = ComparedShares(
    conversations=0,
    here=None,
    elsewhere=None,
    difference=None,
    interval=None,
    p=None,
    p_holm=None,
    beyond_chance=None,
    excess=0.0,
)
"""Where no conversation has files both here and elsewhere."""


def is_clear(compared: ComparedShares, sign: int) -> bool:
    """Whether the share here is clearly above (1) or below (-1) that of elsewhere.

    So it is in ``PATTERN`` conversations or more, by ``FAR`` and by ``FEWEST_FILES`` at least, with a ``p``
    of at most ``ALPHA`` or, with conversations too few for that, with the least that they allow: all of them
    agree.
    """
    n, difference, p = compared.conversations, compared.difference, compared.p
    if n < PATTERN or difference is None or p is None:
        return False
    # .5 - .35 is above .15 by rounding alone.
    far = round(sign * difference, 9) >= FAR and round(sign * compared.excess, 9) >= FEWEST_FILES
    return far and p <= max(ALPHA, 2.0 ** (1 - n) + 1e-12)


def claim_of(compared: ComparedShares) -> Claim:
    """What may be claimed of it among all that was compared."""
    return Claim(compared.p, compared.p_holm, compared.beyond_chance)


def against(rows: Sequence[ConversationCounts], seed: int) -> ComparedShares:
    """Compare shares.

    Args:
        rows: One a conversation, in an order that does not depend on the input's.
        seed: Of the signs that are drawn where they are too many to count.
    """
    used = [row for row in rows if row.comparable]
    here = np.array([row.part / row.whole for row in used])
    elsewhere = np.array([row.part_elsewhere / row.whole_elsewhere for row in used])
    if not used:
        return NOT_COMPARED
    effect = paired_effect(here, elsewhere, seed=seed)
    excess = sum(row.part - row.whole * row.part_elsewhere / row.whole_elsewhere for row in used)
    return NOT_COMPARED.model_copy(
        update={
            "conversations": len(used),
            "here": mean_once(here.tolist()),
            "elsewhere": mean_once(elsewhere.tolist()),
            "difference": effect.difference,
            "interval": (effect.interval.low, effect.interval.high) if effect.interval else None,
            "p": effect.p,
            "excess": float(excess),
        }
    )


def corrected(comparisons: Sequence[ComparedShares]) -> list[ComparedShares]:
    """Correct for having compared so many; those with fewer conversations than a pattern are not claimed."""
    claimed = claims([one.p if one.conversations >= PATTERN else None for one in comparisons])
    return [
        one.model_copy(update={"p_holm": claim.p_adjusted, "beyond_chance": claim.holds})
        for one, claim in zip(comparisons, claimed, strict=True)
    ]
