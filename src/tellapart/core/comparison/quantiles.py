"""A gate on a quantile of a figure, such as the 10th percentile of margins."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F64
from tellapart.core.comparison.gates import Gate, GateOutcome, judge_change
from tellapart.core.comparison.settings import ComparisonSettings
from tellapart.core.randomness import generator
from tellapart.core.stats import Interval, quantile_differences

RESAMPLES = 2000

_DECIMALS = 12


@dataclass(frozen=True)
class PairedFigures:
    """A figure of two models on the same items.

    Attributes:
        candidate: A model.
        baseline: The model that it must not fall behind.
        new: Shape (items,), the candidate's figures, finite.
        old: Shape (items,), the baseline's.
        clusters: Shape (items,), the source of each item as a number.
        scope: Which items they are: ``all items``, or ``COLUMN=VALUE``.
    """

    candidate: str
    baseline: str
    new: F64
    old: F64
    clusters: NDArray[np.int64]
    scope: str


def quantile_gate(
    figures: PairedFigures, quantile: float, max_drop: float, settings: ComparisonSettings
) -> Gate:
    """Hold a quantile of a candidate's figures against the baseline's.

    Args:
        figures: In one unit, which `check_comparable` has seen to.
        quantile: Which, in (0, 1).
        max_drop: The largest fall that is allowed, in that unit, >= 0.
        settings: For the level and the seed.

    Returns:
        The gate, without flips. It cannot fire with fewer sources than `fewest_sources`: an end of the
        quantile's interval is then beyond all items, whatever resampling says.
    """
    n, n_clusters = len(figures.new), len(np.unique(figures.clusters))
    (drop,) = quantile_differences(
        figures.new,
        figures.old,
        [quantile],
        rng=generator(settings.seed, "quantile", figures.scope),
        clusters=figures.clusters,
        resamples=RESAMPLES,
        level=1 - settings.alpha,
    )
    least = fewest_sources(quantile, settings.alpha)
    can_fire = n_clusters >= least
    change = None if drop.difference is None else _rounded(drop.difference)
    interval = drop.interval if can_fire else None
    if interval is not None:
        interval = Interval(_rounded(interval.low), _rounded(interval.high), interval.level)
    outcome, reason = judge_change(interval, max_drop), ""
    if can_fire and interval is None and change is not None:
        # The change is the same on every item, or in every resample: it is what it is.
        outcome = GateOutcome.FAILED if change < -max_drop else GateOutcome.PASSED
    elif not can_fire:
        reason = (
            f"this gate cannot fail: {n_clusters:,} independent items are too few for the "
            f"{100 * quantile:g}th percentile, which takes {least:,}"
        )
    elif outcome is GateOutcome.UNCLEAR:
        reason = "within noise, the drop may be smaller or larger than the limit"
    return Gate(
        candidate=figures.candidate,
        baseline=figures.baseline,
        scope=figures.scope,
        max_drop=max_drop,
        change=change,
        interval=interval,
        n=n,
        outcome=outcome,
        can_fire=can_fire,
        items_to_settle=None,
        reason=reason,
        flips=(),
    )


def _rounded(value: float) -> float:
    """Round to what figures in single precision can be told apart by; nothing is plain 0."""
    return round(value, _DECIMALS) + 0.0


def fewest_sources(quantile: float, alpha: float) -> int:
    """Count the independent items that an interval of a quantile takes with both ends among them.

    Below that number all of them lie on one side of the quantile with a chance above ``alpha`` / 2.

    Args:
        quantile: In (0, 1).
        alpha: 1 - level of the interval.
    """
    outside = max(quantile, 1 - quantile)
    return math.ceil(math.log(alpha / 2) / math.log(outside))
