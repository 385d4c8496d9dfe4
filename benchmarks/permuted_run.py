"""A real run without a difference: the answers to each source are dealt to the models at random.

Under this null hypothesis every difference between two models is chance, while items, clusters, ties and
missing answers stay as they were. `share_of_claims` says how often a reader of such a run is told of a
difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tellapart.core.comparison import Comparison, ComparisonSettings, compare
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid

CELLS = ("scores", "answers", "low", "high", "answer_variance", "grading_variance", "gradings")


def permuted(grid: ScoreGrid, rng: np.random.Generator) -> ScoreGrid:
    """Deal each cluster's answers to the models in a random order, the same for all items of the cluster."""
    _, of_item = np.unique(grid.clusters, return_inverse=True)
    order = rng.permuted(np.tile(np.arange(len(grid.models)), (of_item.max() + 1, 1)), axis=1)
    taken = order[of_item].T
    cells = {name: np.take_along_axis(getattr(grid, name), taken, axis=0) for name in CELLS}
    return replace(grid, **cells)


def share_of_claims(
    grid: ScoreGrid,
    is_claimed: Callable[[Comparison], bool],
    *,
    tables: int,
    settings: ComparisonSettings | None = None,
) -> float:
    """Give the share of permuted runs of which a difference is claimed.

    Args:
        grid: Of a real run.
        is_claimed: Whether what a command shows of a comparison claims that one model is better.
        tables: How many runs are drawn.
        settings: As the command compares.
    """
    drawn = (permuted(grid, generator(7, "permuted run", str(i))) for i in range(tables))
    return sum(is_claimed(compare(one, settings)) for one in drawn) / tables
