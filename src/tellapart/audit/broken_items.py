"""Items that rank models backwards, found for a pair by the other models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tellapart.audit.evidence import Evidence
from tellapart.core.comparison import ComparisonSettings, PairComparison
from tellapart.core.comparison.compare import primary_family

LIKELIER_THAN_NOT = 0.5


@dataclass(frozen=True)
class BackwardItems:
    """Items whose scores fall as models get better.

    Attributes:
        items: Their ids, in ascending order.
        judges: Models by which they were found.
        difference: Mean of a - b over these.
        p: Of no difference over these.
    """

    items: tuple[str, ...]
    judges: int
    n: int
    difference: float
    p: float


def backward_items(pair: PairComparison, evidence: Evidence) -> BackwardItems | None:
    """Find items that keep a pair from being separated because they rank models backwards.

    They are chosen by the other models alone, as those that by these are likelier backwards than not: chosen
    on the pair, they would separate any.
    """
    if evidence.curves is None or not len(evidence.suspects):
        return None
    grid, rows = evidence.grid, (evidence.rows[pair.a], evidence.rows[pair.b])
    chances = evidence.curves.backwards(rows, evidence.suspects)
    dropped = np.zeros(len(grid.items), dtype=bool)
    dropped[evidence.suspects[chances > LIKELIER_THAN_NOT]] = True
    dropped &= ~np.isnan(grid.scores[list(rows)]).any(axis=0)
    if not dropped.any():
        return None
    # Without the baseline and the part of the audit's options: here the two are alone.
    others = ComparisonSettings(
        sesoi=evidence.options.least,
        alpha=evidence.options.alpha,
        power=evidence.options.power,
        seed=evidence.options.seed,
    )
    (left,) = primary_family(grid.only(~dropped).of_models(sorted(rows)), others).pairs
    if left.p is None or left.difference is None or left.p > evidence.level:
        return None
    ids = tuple(grid.items[dropped].tolist())
    return BackwardItems(ids, len(grid.models) - 2, left.n, left.difference, left.p)
