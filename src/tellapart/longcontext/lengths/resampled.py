"""Experiments like the one that was made, with other conversations: how far can a length be trusted?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

ROUNDING = 1e-9
"""A score that misses its limit by less reaches it: 0.85 times a base is not exact."""


def reach(scores: F64, limits: F64) -> I64:
    """How many lengths pass, from the shortest up to the first that does not.

    Args:
        scores: Shape (experiments, lengths), the shortest length first.
        limits: Shape (experiments,), what a score must reach.

    Returns:
        Shape (experiments,), from 0 to the number of lengths.
    """
    passing = scores >= limits[:, None] - ROUNDING
    reached: I64 = np.cumprod(passing, axis=1).sum(axis=1)
    return reached


def resampled(
    lengths: Sequence[Sequence[tuple[str, float]]], rng: np.random.Generator, draws: int
) -> tuple[F64, F64]:
    """Draw experiments: every conversation is worth a random share, with all of its items.

    Weights are exponential, so that no length is ever without items, as it could be if conversations were
    drawn with replacement. Half an item that is right and half an item that is wrong join each length:
    without them a length at which everything is right would be so in every draw, however few items it has.

    Args:
        lengths: For each length the conversation and the value of each item.
        rng: Draws the weights.
        draws: How many experiments.

    Returns:
        Sums of the values and sums of the weights, each of shape (draws, lengths); scores are the quotients.

    Source:
        Rubin 1981, "The Bayesian bootstrap", with whole conversations in place of single values. The halves
        are Jeffreys's prior of a rate: where every item has a conversation of its own, a score is drawn from
        Beta(right + 1/2, wrong + 1/2), as in Brown, Cai and DasGupta 2001, "Interval estimation for a
        binomial proportion", section 3.1.2.
    """
    clusters = sorted({cluster for items in lengths for cluster, _ in items})
    place = {cluster: i for i, cluster in enumerate(clusters)}
    values, counts = np.zeros((2, len(clusters), len(lengths)))
    for column, items in enumerate(lengths):
        for cluster, value in items:
            values[place[cluster], column] += value
            counts[place[cluster], column] += 1
    weights = rng.standard_exponential((draws, len(clusters)))
    right, wrong = rng.standard_gamma(0.5, (2, draws, len(lengths)))
    sums = np.einsum("dc,cl->dl", weights, values) + right
    return sums, np.einsum("dc,cl->dl", weights, counts) + right + wrong
