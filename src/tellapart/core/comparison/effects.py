"""What a change does to the same items: for effects on other things than models, such as search terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tellapart.core.arrays import F64
from tellapart.core.comparison.decision import correct_together, run_tests
from tellapart.core.comparison.settings import ALPHA, POWER, ComparisonSettings
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats import Interval, items_needed_t


@dataclass(frozen=True)
class PairedEffect:
    """A figure of the same items in two states.

    Attributes:
        n: Items that have it in both.
        difference: Mean of a - b, or None without an item.
        interval: Of the difference, at ``1 - ALPHA``: what the test of ``p`` accepts. None where ``reason``
            says why.
        p: Of no difference, two-sided; None below two items.
        reason: Why there is no interval, or empty.
    """

    n: int
    difference: float | None
    interval: Interval | None
    p: float | None
    reason: str


def paired_effect(a: ArrayLike, b: ArrayLike, *, seed: int = 42) -> PairedEffect:
    """Compare two states of the same items, tested as two models are.

    Args:
        a: Shape (n,), figures in [0, 1]; NaN is missing.
        b: Shape (n,), of the same items in the other state.
        seed: Of the flips of signs, where they are too many to count.

    Returns:
        The effect, by itself: several of them are corrected by `claims`.
    """
    scores = np.stack([np.asarray(values, dtype=np.float64) for values in (a, b)])
    settings = ComparisonSettings(seed=seed)
    (pair,) = correct_together([run_tests(_grid(scores), settings)], settings)
    return PairedEffect(pair.n, pair.difference, pair.interval, pair.p, pair.reason)


def items_to_detect(difference: float, sd: float) -> int | None:
    """Give the items with which a difference would be found at ``ALPHA`` with the chance ``POWER``.

    Args:
        difference: Mean difference of an item, in score units.
        sd: Standard deviation of the difference over items, in score units, >= 0.

    Returns:
        None where the difference is 0.
    """
    return items_needed_t(difference, sd, power=POWER, alpha=ALPHA)


def _grid(scores: F64) -> ScoreGrid:
    nothing = np.full(scores.shape, np.nan)
    expected = np.where(np.isnan(scores), 0.0, 1.0)
    n = scores.shape[1]
    return ScoreGrid(
        models=("a", "b"),
        items=np.arange(n).astype(object),
        scores=scores,
        answers=expected.astype(np.int64),
        low=scores,
        high=scores,
        answer_variance=nothing,
        grading_variance=nothing,
        gradings=expected,
        clusters=np.arange(n),
        strata={},
        answer_strata=(),
        missing={},
        limits=(0.0, 1.0),
    )
