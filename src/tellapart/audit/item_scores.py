"""Every score behind an audit, item by item, for a page that lists the items on which models differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tellapart.core.arrays import F64
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.scores import ScoreTable

NOT_ASKED = "not asked"
"""Why a model has no score on an item that no row of the table names for it."""


@dataclass(frozen=True)
class ItemScores:
    """Scores by model and item, and why they are missing.

    Attributes:
        models: In ascending order.
        items: In ascending order.
        scores: Shape (models, items), the mean over the answers; NaN where ``missing`` says why.
        missing: By the places of a model and an item without a score, the causes, separated by commas.
        strata: Of each column that sorts the items, the value of each item; None where it has none.
    """

    models: tuple[str, ...]
    items: tuple[str, ...]
    scores: F64
    missing: dict[tuple[int, int], str]
    strata: dict[str, tuple[str | None, ...]]


def item_scores(table: ScoreTable, grid: ScoreGrid) -> ItemScores:
    """Take the scores of a grid, with the causes of those that are missing from its table."""
    without = table.frame.filter(pl.col("score").is_null())
    of_cell = without.group_by("model", "item").agg(pl.col("missing").unique().sort().str.join(", "))
    causes = {(model, item): cause for model, item, cause in of_cell.iter_rows()}
    items = tuple(grid.items.tolist())
    return ItemScores(
        models=grid.models,
        items=items,
        scores=grid.scores,
        missing={
            (int(model), int(item)): causes.get((grid.models[model], items[item]), NOT_ASKED)
            for model, item in np.argwhere(np.isnan(grid.scores))
        },
        strata={
            name: tuple(None if code < 0 else stratum.values[code] for code in stratum.codes)
            for name, stratum in grid.strata.items()
        },
    )
