"""Effects of other things than models, such as a search term or a position, and controls beside chance.

One effect is tested as two models are, and several are corrected together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from tellapart.core.arrays import F64
from tellapart.core.comparison.decision import correct_together
from tellapart.core.comparison.pair_tests import run_tests
from tellapart.core.comparison_settings import ALPHA, ComparisonSettings
from tellapart.core.estimate import Estimate, Interval
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.seed import SEED
from tellapart.core.stats.intervals import Clusters, cluster_codes
from tellapart.core.stats.paired import holm, holm_known, holm_levels, mcnemar_exact


@dataclass(frozen=True)
class Claim:
    """One of a family of tests, after Holm over those that could be tested; all None where it could not."""

    p: float | None
    p_adjusted: float | None
    holds: bool | None


def claims(p_values: Sequence[float | None], *, alpha: float = ALPHA) -> list[Claim]:
    """Correct a family of tests by Holm's method and say which claims hold; a p of None was not tested."""
    adjusted = holm_known(p_values)
    return [Claim(p, q, None if q is None else q <= alpha) for p, q in zip(p_values, adjusted, strict=True)]


@dataclass(frozen=True, kw_only=True)
class RateRatio(Estimate):
    """How many times as frequent something is in b as in a, over the same ``n`` items.

    ``value`` is infinite where a has none, and undefined where neither has any; its interval is at the level
    at which Holm's method tested it. ``p`` is of equal frequencies, two-sided, and ``p_adjusted`` after Holm
    over those that were tested together.
    """

    a: int
    b: int
    p: float
    p_adjusted: float
    holds: bool


def rate_ratios(counts: Sequence[tuple[int, int]], n: int, *, alpha: float = ALPHA) -> list[RateRatio]:
    """Compare how frequent several things are in two sets of ``n`` answers, corrected together.

    Source:
        Przyborowski and Wilenski 1940, "Homogeneity of results in testing samples from Poisson series": given
        their sum, one of two counts is binomial. Clopper and Pearson 1934 for its interval. Exact for counts
        that do not depend on each other; where the same items have a thing in both, the test is stricter.
    """
    p_values = [mcnemar_exact(a, b) for a, b in counts]
    adjusted = holm(p_values).tolist()
    levels = holm_levels(p_values, adjusted, alpha)
    ratios = []
    for (a, b), p, q, level in zip(counts, p_values, adjusted, levels, strict=True):
        tail = (level or alpha) / 2
        low = float(betaincinv(b, a + 1, tail)) if b else 0.0
        high = float(betaincinv(b + 1, a, 1 - tail)) if a else 1.0
        low, high = (share / (1 - share) if share < 1 else inf for share in (low, high))
        value = b / a if a else inf if b else None
        ratios.append(RateRatio(value, low, high, n, a=a, b=b, p=p, p_adjusted=q, holds=q <= alpha))
    return ratios


@dataclass(frozen=True, kw_only=True)
class PairedEffect(Estimate):
    """How far a figure of the same ``n`` items lies apart in two states.

    ``value`` is the mean of a - b, and its interval, at ``1 - alpha``, is what the two-sided test of ``p``
    accepts; None below two items.
    """

    p: float | None


def paired_effect(
    a: ArrayLike,
    b: ArrayLike,
    *,
    clusters: Clusters | None = None,
    alpha: float = ALPHA,
    seed: int = SEED,
) -> PairedEffect:
    """Compare figures of the same items in two states, each in [0, 1] or NaN, as two models are compared.

    Several that are claimed together are for `claims`.
    """
    states = np.stack([np.asarray(values, dtype=np.float64) for values in (a, b)])
    settings = ComparisonSettings(alpha=alpha, seed=seed)
    (pair,) = correct_together([run_tests(states_grid(states, clusters), settings)], settings)
    low, high = pair.interval or (None, None)
    return PairedEffect(pair.difference, low, high, pair.n, pair.reason or None, p=pair.p)


def states_grid(scores: F64, clusters: Clusters | None = None) -> ScoreGrid:
    """Arrange states of the same items, shape (states, items), as models, in the order of the rows."""
    nothing = np.full(scores.shape, np.nan)
    answers = np.where(np.isnan(scores), 0, 1)
    n = scores.shape[1]
    return ScoreGrid(
        models=("a", "b") if len(scores) == 2 else tuple(f"{i:06}" for i in range(len(scores))),
        items=np.arange(n).astype(object),
        scores=scores,
        answers=answers,
        low=scores,
        high=scores,
        answer_variance=nothing,
        grading_variance=nothing,
        gradings=answers.astype(np.float64),
        clusters=cluster_codes(clusters, n)[0],
        strata={},
        answer_strata=(),
        missing={},
        limits=(0.0, 1.0),
    )


CHANCE_MARGIN = 0.03
"""How far from chance an accuracy may lie and still be at chance, in score units."""

CHANCE_LEVEL = 1 - 2 * ALPHA
"""Level of the interval whose two ends are one-sided tests at ``ALPHA``."""


class ChanceOutcome(StrEnum):
    """How an accuracy lies beside that of guessing."""

    AT = "at chance"
    ABOVE = "above chance"
    BELOW = "below chance"
    UNCLEAR = "cannot tell"


def judge_chance(
    interval: Interval | None, chance: float | None, margin: float = CHANCE_MARGIN
) -> ChanceOutcome:
    """Test whether an accuracy is that of guessing, within a margin: an equivalence test.

    At chance where two one-sided tests reject that it lies ``margin`` or more away, which is where the whole
    interval lies within the margin. Above or below chance where a one-sided test rejects that it lies within,
    which is where the whole interval lies beyond. A difference that is there but smaller than the margin is
    never an alarm, however many items there are. The interval is at ``CHANCE_LEVEL`` for tests at ``ALPHA``;
    without one, nothing can be told.

    Source:
        Schuirmann 1987, "A comparison of the two one-sided tests procedure and the power approach", by the
        interval. Wilson's interval in place of t: it does not shrink to a point where no answer is right.
    """
    if interval is None or chance is None:
        return ChanceOutcome.UNCLEAR
    low, high = interval.low - chance, interval.high - chance
    if -margin < low and high < margin:
        return ChanceOutcome.AT
    if low > margin:
        return ChanceOutcome.ABOVE
    return ChanceOutcome.BELOW if high < -margin else ChanceOutcome.UNCLEAR
