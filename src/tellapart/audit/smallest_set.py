"""The fewest items that keep the ranking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tellapart.audit.rank_stability import tau_of_means
from tellapart.audit.results import SmallestSet
from tellapart.core.arrays import F64
from tellapart.core.comparison import PairComparison
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats import rest_correlations

KEPT = 0.9
"""tau-b from which an order counts as kept."""

LEAST_CHOOSING = 6
LEAST_HELD_OUT = 3
"""Models to choose items on, and to confirm the choice on."""

_ROOM = 3
"""A set suits the models that it was chosen on better than others, so it is made so many times as long."""

_BANDS = 10
_STEP = 1.1


def smallest_set(grid: ScoreGrid, pairs: Sequence[PairComparison]) -> SmallestSet:
    """Choose items on some models and confirm them on the others.

    Models take turns by rank, the best and the worst among those that items are chosen on. Items are ordered
    by their corrected item-total correlation over these models, one of each of ten bands of difficulty in
    turn. The shortest beginning of that order is sought from which on every longer one keeps the order of
    the models (tau-b at least ``KEPT``; lengths grow by a tenth). The set is ``_ROOM`` times as long. The
    models held out confirm it if their tau-b is at least ``KEPT``, too.

    Source:
        Vivek et al. 2024, "Anchor Points", Polo et al. 2024, "tinyBenchmarks", and Kipnis et al. 2024,
        "metabench", for sets chosen on some models and tried on others. Theirs predict scores by weights or a
        fitted model; this one takes the plain mean over the set.
    """
    scored = ~np.isnan(grid.scores)
    means = [row[has].mean() if has.any() else np.nan for row, has in zip(grid.scores, scored, strict=True)]
    ranked = sorted(np.flatnonzero(scored.any(axis=1)).tolist(), key=lambda i: (-round(means[i], 9), i))
    held_out = ranked[1:-1:2][: max(0, len(ranked) - LEAST_CHOOSING)]
    choosing = [i for i in ranked if i not in held_out]
    names = [tuple(grid.models[i] for i in sorted(part)) for part in (choosing, held_out)]
    candidates = np.flatnonzero(scored[ranked].all(axis=0))
    if len(held_out) < LEAST_HELD_OUT:
        return SmallestSet(
            reason=f"choosing a smaller set and checking it takes {LEAST_CHOOSING + LEAST_HELD_OUT} models "
            f"with scores; there are {len(ranked)}"
        )
    if not any(pair.is_separated for pair in pairs if {pair.a, pair.b} <= {*names[0]}):
        reason = "the models that items would be chosen on are not separated, so there is no ranking to keep"
        return SmallestSet(reason=reason)
    if not len(candidates):
        return SmallestSet(reason="no item has a score of every model")
    order = candidates[_by_worth(grid.scores[choosing][:, candidates])]
    size = _fewest(grid, choosing, order)
    if size == len(grid.items):
        reason = "no smaller set keeps the ranking"
        return SmallestSet(chosen_on=names[0], confirmed_on=names[1], reason=reason)
    taus = [_tau(grid, part, order, [size])[0] for part in (choosing, held_out)]
    shown = "is not defined" if taus[1] is None else f"is {taus[1]:.2f}"
    confirmed = taus[1] is not None and taus[1] >= KEPT
    return SmallestSet(
        items=tuple(grid.items[np.sort(order[:size])].tolist()),
        chosen_on=names[0],
        confirmed_on=names[1],
        tau_chosen=taus[0],
        tau_heldout=taus[1],
        reason="" if confirmed else f"not confirmed: over the models held out, tau {shown}",
    )


def _by_worth(scores: F64) -> NDArray[np.intp]:
    """Places of items, the worthiest of each band of difficulty first; those that do not vary last."""
    worth = rest_correlations(scores).r
    able = np.flatnonzero(~np.isnan(worth))
    by_difficulty = able[np.argsort(np.round(scores[:, able].mean(axis=0), 9), kind="stable")]
    bands = [
        band[np.argsort(-np.round(worth[band], 9), kind="stable")]
        for band in np.array_split(by_difficulty, _BANDS)
    ]
    turns = [(turn, band, item) for band, of_band in enumerate(bands) for turn, item in enumerate(of_band)]
    return np.array(
        [item for *_, item in sorted(turns)] + np.flatnonzero(np.isnan(worth)).tolist(), dtype=np.intp
    )


def _fewest(grid: ScoreGrid, models: list[int], order: NDArray[np.intp]) -> int:
    """Length of the set; all items if no length keeps the order."""
    steps = range(int(np.ceil(np.log(len(order)) / np.log(_STEP))) + 1)
    sizes = sorted({min(int(np.ceil(_STEP**step)), len(order)) for step in steps})
    taus = _tau(grid, models, order, sizes)
    failed = [i for i, tau in enumerate(taus) if tau is None or tau < KEPT]
    first = failed[-1] + 1 if failed else 0
    return min(_ROOM * sizes[first], len(order)) if first < len(sizes) else len(grid.items)


def _tau(grid: ScoreGrid, models: list[int], order: NDArray[np.intp], sizes: list[int]) -> list[float | None]:
    """tau-b between the first items of an order and all items, over some models, for each length."""
    sums = np.cumsum(grid.scores[models][:, order], axis=1)
    means = (sums[:, np.array(sizes) - 1] / sizes).T
    everything = np.nanmean(grid.scores[models], axis=1)
    return tau_of_means(np.broadcast_to(everything, means.shape), means, grid)
