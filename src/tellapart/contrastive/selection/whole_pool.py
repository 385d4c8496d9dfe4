"""Levels that look at every unit of a target's pool: the whole of it, and a ladder through its ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tellapart.contrastive.selection.candidates import Candidates
from tellapart.contrastive.selection.levels import Level
from tellapart.contrastive.selection.sets import DistractorSet, InsufficientDistractors
from tellapart.core.arrays import F64, I64


def choose_pool(
    candidates: Candidates, targets: Sequence[int], pool: I64, level: Level
) -> Iterator[DistractorSet | InsufficientDistractors]:
    """Take every free unit of the pool."""
    for target in targets:
        yield _all_of(target, level, *candidates.free(target, pool))


def choose_ladder(
    candidates: Candidates, targets: Sequence[int], pool: I64, level: Level
) -> Iterator[DistractorSet | InsufficientDistractors]:
    """Take the free units at geometrically spaced ranks of the selector's order of the pool."""
    ranked = candidates.selector.neighbours(np.array(targets, dtype=np.int64), pool, len(pool))
    for target, row in zip(targets, ranked, strict=True):
        free, similarities = candidates.free(target, row[row >= 0])
        rungs = rungs_of(len(free), level.count) - 1
        yield _all_of(target, level, free[rungs], similarities[rungs])


def rungs_of(ranks: int, count: int) -> I64:
    """Spread ``count`` distinct ranks geometrically from 1 to ``ranks``; all ranks where there are fewer."""
    if ranks <= count:
        return np.arange(1, ranks + 1)
    rungs = np.floor(np.geomspace(1, ranks, count) + 0.5).astype(np.int64)
    steps = np.arange(count)
    # Ranks that round to the same one move on to the next.
    return np.maximum.accumulate(rungs - steps) + steps


def _all_of(
    target: int, level: Level, others: I64, similarities: F64
) -> DistractorSet | InsufficientDistractors:
    if len(others) < level.count:
        return InsufficientDistractors(target, level.name, level.count, len(others))
    rounded = tuple((np.round(similarities, 9) + 0.0).tolist())
    name = level.name.partition(":")[0]
    return DistractorSet(target, level.name, tuple(others.tolist()), (name,) * len(others), rounded)
