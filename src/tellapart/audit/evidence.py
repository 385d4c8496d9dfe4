"""What is known before causes are named."""

from __future__ import annotations

from dataclasses import dataclass

from tellapart.audit.findings import ItemFindings, Pair, StratumSeparation, Variance
from tellapart.audit.options import AuditOptions
from tellapart.core.score_grid import ScoreGrid


@dataclass(frozen=True)
class Evidence:
    """All that causes and fixes are derived from.

    Attributes:
        grid: The scores.
        options: Of the audit.
        pairs: Every pair, with its verdict.
        strata: What each kind of items separates.
        items: What the items are like.
        variance: Its parts.
    """

    grid: ScoreGrid
    options: AuditOptions
    pairs: tuple[Pair, ...]
    strata: tuple[StratumSeparation, ...]
    items: ItemFindings
    variance: Variance
