"""What the items are like: difficulty, discrimination, flags, reliability."""

from __future__ import annotations

import numpy as np
import polars as pl

from tellapart.audit.findings import ItemFindings, Reliability
from tellapart.core.score_grid import ScoreGrid


def examine(grid: ScoreGrid) -> ItemFindings:
    """Look at every item."""
    n = (~np.isnan(grid.scores)).sum(axis=0)
    table = pl.DataFrame({"item": grid.items.tolist(), "n_models": n})
    return ItemFindings(
        table, (), Reliability("alpha", None, grid.models, len(grid.items), "not computed"), ""
    )
