"""How firmly the models are ordered."""

from __future__ import annotations

from tellapart.audit.findings import ItemFindings, Order
from tellapart.audit.options import AuditOptions
from tellapart.core.score_grid import ScoreGrid


def firmness(grid: ScoreGrid, items: ItemFindings, options: AuditOptions) -> Order:
    """Hold the order against itself: between strata, between halves, without flagged items."""
    return Order({}, None, None, None, None, "not computed")
