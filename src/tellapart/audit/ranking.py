"""The models in order, with what the order is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tellapart.audit.findings import Pair, Ranked
from tellapart.audit.options import AuditOptions
from tellapart.core.score_grid import ScoreGrid


@dataclass(frozen=True)
class Ranking:
    """The order of the models.

    Attributes:
        models: Best first; equal means in the order of names; models without a score last.
        separated_arena_hard: Share of pairs whose bootstrap intervals do not overlap, or None.
        signal_to_noise: Greatest difference between two means over the noise of a mean, or None.
    """

    models: tuple[Ranked, ...]
    separated_arena_hard: float | None
    signal_to_noise: float | None


def rank(grid: ScoreGrid, pairs: list[Pair], options: AuditOptions) -> Ranking:
    """Rank the models by their means."""
    means = [None if np.isnan(row).all() else float(np.nanmean(row)) for row in grid.scores]
    order = sorted(range(len(means)), key=lambda i: (means[i] is None, -(means[i] or 0)))
    ranked = [
        Ranked(
            grid.models[i],
            int((~np.isnan(grid.scores[i])).sum()),
            means[i],
            None,
            None,
            None,
            None,
            None,
            None,
        )
        for i in order
    ]
    return Ranking(tuple(ranked), None, None)
