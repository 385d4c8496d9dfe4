"""Where the scores' variance comes from."""

from __future__ import annotations

from tellapart.audit.findings import Variance
from tellapart.core.score_grid import ScoreGrid


def components(grid: ScoreGrid) -> Variance:
    """Split the variance of the scores."""
    return Variance(None, None, None, None, None, "not computed")
