"""A share among some files against the share among all others, conversation by conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from tellapart.core.stats import holm_known, mean_once, paired_difference, sign_flip_p
from tellapart.core.stats.paired import FEW
from tellapart.core.stats.samples import F64

PATTERN = 3
"""Conversations that make a pattern; what fewer show is an outlier."""

FAR = 0.15
"""A difference of shares below this is not worth a change; as far as an area is below the whole."""

FEWEST_FILES = 3
"""Nor is a difference of fewer files than this."""

ALPHA = 0.05


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
        interval: 95 %, by Student's t over conversations; None where they do not vary or are too few.
        p: Two-sided, of a difference as large when what is here and what is elsewhere change places at
            random in each conversation: signs are flipped; Student's t from ``FEW`` conversations on.
        p_holm: ``p`` with Holm's correction over all that was compared in the same way.
        beyond_chance: Whether ``p_holm`` is at most ``ALPHA``; None without one.
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

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return asdict(self) | {"interval": list(self.interval) if self.interval else None}


def against(rows: Sequence[Counts], rng: np.random.Generator) -> Against:
    """Compare shares.

    Args:
        rows: One a conversation, in an order that does not depend on the input's.
        rng: Draws signs where they are too many to count.
    """
    used = [row for row in rows if row.comparable]
    here = np.array([row.part / row.whole for row in used])
    elsewhere = np.array([row.part_elsewhere / row.whole_elsewhere for row in used])
    if not used:
        return Against(0)
    found = paired_difference(here, elsewhere)
    means = mean_once(here.tolist()), mean_once(elsewhere.tolist())
    excess = sum(row.part - row.whole * row.part_elsewhere / row.whole_elsewhere for row in used)
    interval = (found.interval.low, found.interval.high) if found.interval else None
    return Against(
        len(used), *means, found.difference, interval, flip_p(here, elsewhere, rng), excess=float(excess)
    )


def flip_p(a: F64, b: F64, rng: np.random.Generator) -> float | None:
    """Two-sided p of no difference between pairs without a hole; None where there are none."""
    if not len(a):
        return None
    if len(a) >= FEW:
        p = paired_difference(a, b).p_clustered
        # All differ by the same, which gives t no error to go by: one way to flip signs, and its mirror.
        return p if p is not None else 2.0 ** max(1 - len(a), -1000) if (a != b).any() else 1.0
    return float(sign_flip_p(np.stack([a, b]), np.arange(len(a)), [(0, 1)], rng=rng)[0])


def corrected(found: Sequence[Against]) -> list[Against]:
    """Correct for having compared so many; those with fewer conversations than a pattern are not claimed."""
    ps = holm_known([one.p if one.conversations >= PATTERN else None for one in found])
    return [
        replace(one, p_holm=p, beyond_chance=None if p is None else p <= ALPHA)
        for one, p in zip(found, ps, strict=True)
    ]
