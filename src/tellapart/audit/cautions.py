"""What to know before any figure is read."""

from __future__ import annotations

from tellapart.audit.findings import Caution
from tellapart.core.score_grid import ScoreGrid


def cautions(grid: ScoreGrid) -> tuple[Caution, ...]:
    """Name models that were not asked the same items, constant models and columns that sort no items."""
    return ()
