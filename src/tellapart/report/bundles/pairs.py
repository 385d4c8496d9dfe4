"""Which models are told apart by their passes, bundle by bundle."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import combinations

import polars as pl

from tellapart.core.stats import Interval, PairedDifference, holm, paired_difference
from tellapart.report.bundles.record import OVERALL, View

ALPHA = 0.05
"""Two models are told apart where p, after Holm over the pairs, is below this."""


class Status(Enum):
    """What is known about two models."""

    APART = "told apart"
    NOT_APART = "not told apart"
    WITHHELD = "withheld: the tiers were cut by one model's own margins"
    UNKNOWN = "not tested"


@dataclass(frozen=True)
class Pair:
    """Two models on the same bundles.

    Attributes:
        a: The first.
        b: The second.
        n: Bundles that both have.
        difference: Pass rate of ``a`` minus that of ``b`` over these; None without any.
        interval: 95 %, clustered on the anchor.
        p: Exact McNemar where no two bundles share an anchor, else by Student's t over clusters.
        p_holm: After Holm over the pairs.
        status: What follows.
        reason: Why there is no p.
    """

    a: str
    b: str
    n: int
    difference: float | None
    interval: Interval | None
    p: float | None
    p_holm: float | None
    status: Status
    reason: str

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.a} – {self.b}"

    @property
    def leader(self) -> str | None:
        """The one that passes more often, None for a tie."""
        return None if not self.difference else self.a if self.difference > 0 else self.b


@lru_cache(maxsize=8)
def pairs(view: View, scope: str) -> tuple[Pair, ...]:
    """Compare all models with one another.

    Args:
        view: The scoreboards.
        scope: A tier, of which the bundles are taken that the first board has in it, or ``overall``.

    Returns:
        A pair each, in the order of the boards; none for one board.
    """
    rows = view.shared if scope == OVERALL else view.shared.filter(pl.col("tier_0") == scope)
    clusters = rows["cluster"].to_numpy()
    compared = []
    for i, j in combinations(range(len(view.boards)), 2):
        a, b = (rows[f"margin_{k}"].to_numpy() > 0 for k in (i, j))
        compared.append((i, j, paired_difference(a, b, clusters)))
    by_itself = [scope != OVERALL and any(view.boards[k].own_cut for k in pair[:2]) for pair in compared]
    tested = {
        k: one.p_value
        for k, (_, _, one) in enumerate(compared)
        if one.p_value is not None and not by_itself[k]
    }
    adjusted = dict(zip(tested, holm(list(tested.values())).tolist(), strict=True))
    return tuple(
        Pair(
            view.models[i],
            view.models[j],
            one.n,
            one.difference,
            one.interval,
            tested.get(k),
            adjusted.get(k),
            Status.WITHHELD if by_itself[k] else _status(adjusted.get(k)),
            _reason(one),
        )
        for k, (i, j, one) in enumerate(compared)
    )


def _reason(one: PairedDifference) -> str:
    same = one.n and one.p_value is None and one.p_mcnemar == 1 and not one.difference
    return "no bundle differs" if same else one.reason or ""


def _status(p_holm: float | None) -> Status:
    if p_holm is None:
        return Status.UNKNOWN
    return Status.APART if p_holm < ALPHA else Status.NOT_APART
