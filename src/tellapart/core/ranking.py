"""From similarities to ranks, margins and danger in one pass over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numba import prange
from numpy.typing import ArrayLike

from tellapart.core.arrays import F64, I64
from tellapart.core.compiled import compiled


@dataclass(frozen=True)
class OptionRanks:
    """Where the target of each item came among its options; every array has shape (items,).

    Attributes:
        rank: 1 + the number of options strictly above the target.
        ties: Options, the target left out, that score exactly as the target does.
        expected_rank: Mean rank over the orders that the ties allow: rank + ties / 2.
        reciprocal_rank: Mean of 1 / rank over those orders, in (0, 1].
        margin: Target minus best distractor; above 0 is a pass, and a tie is none.
        confidence_gap: First minus second of all options, target or not; never negative.
        best_distractor: Position of the best distractor in the flat array; the first one when several tie.
    """

    rank: I64
    ties: I64
    expected_rank: F64
    reciprocal_rank: F64
    margin: F64
    confidence_gap: F64
    best_distractor: I64

    def top(self, k: int) -> F64:
        """Probability that the target is among the first ``k`` when tied options are ordered at random."""
        return np.clip((k + 1 - self.rank) / (self.ties + 1), 0.0, 1.0)

    def moved(self, by: int | I64) -> OptionRanks:
        """The same ranking where the options lie ``by`` places further on, of all items or of each."""
        return replace(self, best_distractor=self.best_distractor + by)


def join_rankings(parts: Sequence[OptionRanks]) -> OptionRanks:
    """Put rankings of parts of one flat array, each ``moved`` to its place, one after the other."""
    if not parts:
        return rank_options([], [0], [])
    return OptionRanks(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(OptionRanks))
    )


def rank_options(similarities: ArrayLike, offsets: ArrayLike, targets: ArrayLike) -> OptionRanks:
    """Rank the target of every item among the item's options.

    Ties cost: a figure is its expectation over the orders that ties allow, so a model that scores every
    option alike scores chance, whatever the order in which the options are listed.

    Args:
        similarities: Shape (options of all items,), item after item; higher fits better.
        offsets: Shape (items + 1,): item i owns ``similarities[offsets[i]:offsets[i + 1]]``.
        targets: Shape (items,): position of the target among its item's options.
    """
    scores = np.ascontiguousarray(similarities, dtype=np.float64)
    bounds = np.ascontiguousarray(offsets, dtype=np.int64)
    places = np.ascontiguousarray(targets, dtype=np.int64)
    sizes = np.diff(bounds)
    _check(scores, bounds, sizes, places)
    items = len(places)
    rank, ties, best_at = (np.empty(items, dtype=np.int64) for _ in range(3))
    target, best, second = (np.empty(items) for _ in range(3))
    _rank_items(scores, bounds, places, rank, ties, target, best, best_at, second)
    if items and best_at.min() < 0:
        raise ValueError(f"similarity {int(np.argmax(np.isnan(scores)))} is NaN")
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, sizes.max(initial=0) + 1))])
    return OptionRanks(
        rank=rank,
        ties=ties,
        expected_rank=rank + ties / 2,
        reciprocal_rank=(harmonic[rank + ties] - harmonic[rank - 1]) / (ties + 1),
        margin=target - best,
        confidence_gap=np.maximum(target, best) - np.maximum(np.minimum(target, best), second),
        best_distractor=best_at,
    )


@compiled(parallel=True)
def _rank_items(
    scores: F64,
    bounds: I64,
    places: I64,
    rank: I64,
    ties: I64,
    target: F64,
    best: F64,
    best_at: I64,
    second: F64,
) -> None:
    """Fill in six arrays; ``best_at`` is -1 where there is NaN."""
    for item in prange(len(places)):
        start, at = bounds[item], bounds[item] + places[item]
        target_score = scores[at]
        above, equal, unknown = 0, 0, 0
        # No branches: which score is the highest so far is what a processor cannot foresee.
        first, first_at, runner_up = -np.inf, np.int64(start + (at == start)), -np.inf
        for option in range(start, bounds[item + 1]):
            score = scores[option]
            above += score > target_score
            equal += score == target_score
            unknown += score != score
            score = score if option != at else -np.inf
            runner_up = max(runner_up, min(first, score))
            first_at = np.int64(option) if score > first else first_at
            first = max(first, score)
        rank[item], ties[item], target[item] = above + 1, equal - 1, target_score
        best[item], second[item] = first, runner_up
        best_at[item] = -1 if unknown else first_at


def _check(scores: F64, bounds: I64, sizes: I64, places: I64) -> None:
    if scores.ndim != 1 or bounds.ndim != 1 or not len(bounds) or bounds[0] != 0 or bounds[-1] != len(scores):
        raise ValueError(
            f"offsets must run from 0 to {scores.size}, the number of similarities, "
            f"got {bounds.tolist()[:3]} …"
        )
    if places.shape != sizes.shape:
        raise ValueError(f"{len(sizes)} items but {places.size} targets")
    if (sizes < 2).any():
        item = int(np.argmax(sizes < 2))
        raise ValueError(
            f"item {item} has {sizes[item]} option(s); a ranking needs a target and a distractor"
        )
    if ((places < 0) | (places >= sizes)).any():
        item = int(np.argmax((places < 0) | (places >= sizes)))
        raise ValueError(f"item {item} has {sizes[item]} options but its target is number {places[item]}")
