"""Items that rank models backwards, found for a pair by the other models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tellapart.audit.evidence import Evidence
from tellapart.audit.findings import Pair
from tellapart.core.stats import paired_difference


@dataclass(frozen=True)
class BackwardItems:
    """Items whose scores fall as models get better.

    Attributes:
        items: Their ids, in ascending order.
        judges: Models by which they were found.
        n: Items that are left.
        difference: Mean of a - b over these.
        p: Of no difference over these.
    """

    items: tuple[str, ...]
    judges: int
    n: int
    difference: float
    p: float


def backward_items(pair: Pair, evidence: Evidence) -> BackwardItems | None:
    """Find items that keep a pair from being separated because they rank models backwards.

    They are chosen by the other models alone (corrected item-total correlation below 0, false finds held to
    5 % by Benjamini and Hochberg): chosen on the pair, they would separate any.

    Returns:
        None where there are none, or where the pair would not be separated without them at the level of the
        next claim.
    """
    if not evidence.suspects:
        return None
    grid, rows = evidence.grid, (evidence.rows[pair.a], evidence.rows[pair.b])
    backward = evidence.correlations.without(*rows).negative()
    a, b = grid.scores[rows[0]], grid.scores[rows[1]]
    dropped = backward & ~np.isnan(a - b)
    if not dropped.any():
        return None
    left = ~dropped
    found = paired_difference(a[left], b[left], grid.clusters[left])
    if found.p_value is None or found.difference is None or found.p_value > evidence.level:
        return None
    ids = tuple(grid.items[dropped].tolist())
    return BackwardItems(ids, len(grid.models) - 2, found.n, found.difference, found.p_value)
