"""From similarities to ranks, margins and danger in one vectorised pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import comb

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]


@dataclass(frozen=True)
class Ranking:
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

    @property
    def danger(self) -> F64:
        """Best distractor minus target: the margin with its sign turned."""
        return -self.margin

    def top(self, k: int) -> F64:
        """Probability that the target is among the first ``k`` when tied options are ordered at random.

        Args:
            k: How many places count, from 1.

        Returns:
            Shape (items,), in [0, 1]; 0 or 1 wherever there is no tie across place ``k``.
        """
        return np.clip((k + 1 - self.rank) / (self.ties + 1), 0.0, 1.0)

    def moved(self, by: int) -> Ranking:
        """The same ranking where the flat array is the part of a longer one that begins at ``by``."""
        return replace(self, best_distractor=self.best_distractor + by)


def join_rankings(parts: Sequence[Ranking]) -> Ranking:
    """Put rankings of parts of one flat array, each ``moved`` to its place, one after the other."""
    if not parts:
        return rank_options([], [0], [])
    return Ranking(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Ranking))
    )


def rank_options(similarities: ArrayLike, offsets: ArrayLike, targets: ArrayLike) -> Ranking:
    """Rank the target of every item among the item's options.

    Ties cost: a figure is its expectation over the orders that ties allow, so a model that scores every
    option alike scores chance, whatever the order in which the options are listed.

    Args:
        similarities: Shape (options of all items,), item after item; higher fits better.
        offsets: Shape (items + 1,): item i owns ``similarities[offsets[i]:offsets[i + 1]]``.
        targets: Shape (items,): position of the target among its item's options.

    Returns:
        The ranking; arrays of length 0 when there are no items.

    Raises:
        ValueError: A similarity is NaN, an item has fewer than two options, or a target is not one of them.
    """
    scores = np.asarray(similarities, dtype=np.float64)
    bounds = np.asarray(offsets, dtype=np.int64)
    places = np.asarray(targets, dtype=np.int64)
    starts, sizes = bounds[:-1], np.diff(bounds)
    _check(scores, bounds, sizes, places)
    if not len(starts):
        none, zero = np.empty(0, np.int64), np.empty(0)
        return Ranking(none, none, zero, zero, zero, zero, none)
    at = starts + places
    target = scores[at]
    spread = np.repeat(target, sizes)
    above = np.add.reduceat(scores > spread, starts, dtype=np.int64)
    ties = np.add.reduceat(scores == spread, starts, dtype=np.int64) - 1
    best, best_at, second = _best_two(scores, starts, sizes, at)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, sizes.max() + 1))])
    return Ranking(
        rank=above + 1,
        ties=ties,
        expected_rank=above + 1 + ties / 2,
        reciprocal_rank=(harmonic[above + ties + 1] - harmonic[above]) / (ties + 1),
        margin=target - best,
        confidence_gap=np.maximum(target, best) - np.maximum(np.minimum(target, best), second),
        best_distractor=best_at,
    )


def accuracy_with(distractors: int, rank: ArrayLike, ties: ArrayLike, available: ArrayLike) -> F64:
    """Probability that the target comes first when only some of its distractors are shown, drawn at random.

    Args:
        distractors: How many are shown, from 0.
        rank: Shape (items,), rank among all options; ties cost as everywhere.
        ties: Shape (items,), options tied with the target.
        available: Shape (items,), how many distractors each item has; at least ``distractors``.

    Returns:
        Shape (items,), in [0, 1]: the mean over tied orders of C(n - ahead, k) / C(n, k), which is
        the chance that none of those ahead is among the k shown.

    Raises:
        ValueError: An item has fewer than ``distractors``.
    """
    above, tied = np.asarray(rank, dtype=np.int64) - 1, np.asarray(ties, dtype=np.int64)
    total = np.asarray(available, dtype=np.int64)
    if (total < distractors).any():
        raise ValueError(f"{distractors} distractors asked for, but an item has only {int(total.min())}")
    # Pascal's rule sums the binomials over the tied orders: C(a + 1, k + 1) - C(b, k + 1).
    highest = total - above
    ways = comb(highest + 1, distractors + 1) - comb(highest - tied, distractors + 1)
    return np.asarray(ways / (comb(total, distractors) * (tied + 1)))


def _best_two(scores: F64, starts: I64, sizes: I64, targets: I64) -> tuple[F64, I64, F64]:
    """Best distractor, its position and the second best (-inf where there is only one)."""
    others = scores.copy()
    others[targets] = -np.inf
    best = np.maximum.reduceat(others, starts)
    is_best = others == np.repeat(best, sizes)
    is_best[targets] = False
    candidates = np.flatnonzero(is_best)
    position = candidates[np.searchsorted(candidates, starts)]
    others[position] = -np.inf
    return best, position, np.maximum.reduceat(others, starts)


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
    if np.isnan(scores).any():
        raise ValueError(f"similarity {int(np.argmax(np.isnan(scores)))} is NaN")
