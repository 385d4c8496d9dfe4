"""Levels that look at every unit of a target's pool: the whole of it, and a ladder through its ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tellapart.contrastive.selection.candidates import Candidates
from tellapart.contrastive.selection.levels import Level
from tellapart.contrastive.selection.sets import DistractorSet, InsufficientDistractors
from tellapart.core.arrays import I64


def choose_pool(
    candidates: Candidates, targets: Sequence[int], pool: I64, level: Level
) -> Iterator[DistractorSet | InsufficientDistractors]:
    """Take every free unit of the pool; nothing chose them, so none has a strategy or a similarity."""
    for target in targets:
        free, _ = candidates.free(target, pool)
        if len(free) < level.count:
            yield InsufficientDistractors(target, level.name, level.count, len(free))
        else:
            yield DistractorSet(target, level.name, tuple(free.tolist()), (), ())


def choose_ladder(
    candidates: Candidates, targets: Sequence[int], pool: I64, level: Level
) -> Iterator[DistractorSet | InsufficientDistractors]:
    """Take the free units at geometrically spaced ranks of the selector's order of the pool."""
    ranked = candidates.selector.neighbours(np.array(targets, dtype=np.int64), pool, len(pool))
    for target, row in zip(targets, ranked, strict=True):
        free, similarities = candidates.free(target, row[row >= 0])
        rungs = rungs_of(len(free), level.count) - 1
        if len(rungs) < level.count:
            yield InsufficientDistractors(target, level.name, level.count, len(free))
            continue
        rounded = tuple((np.round(similarities[rungs], 9) + 0.0).tolist())
        names = (level.name.partition(":")[0],) * level.count
        yield DistractorSet(target, level.name, tuple(free[rungs].tolist()), names, rounded)


def rungs_of(ranks: int, count: int) -> I64:
    """Spread ``count`` distinct ranks geometrically from 1 to ``ranks``; all ranks where there are fewer."""
    if ranks <= count:
        return np.arange(1, ranks + 1)
    rungs = np.floor(np.geomspace(1, ranks, count) + 0.5).astype(np.int64)
    steps = np.arange(count)
    # Ranks that round to the same one move on to the next.
    return np.maximum.accumulate(rungs - steps) + steps
