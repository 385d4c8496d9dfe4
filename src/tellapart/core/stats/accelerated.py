"""The arithmetic of bias-corrected and accelerated (BCa) intervals, from figures already resampled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from tellapart.core.stats.intervals import Interval, upper_quantile
from tellapart.core.stats.samples import F64, NO_VARIATION


@dataclass(frozen=True)
class BootstrapEstimate:
    """A figure with its bootstrap interval.

    Attributes:
        estimate: The figure on the sample itself; ``None`` when there is none.
        standard_error: Standard deviation of the resampled figures.
        interval: BCa; ``None`` together with ``standard_error``, and then ``reason`` says why.
        n_groups: Number of groups (values or clusters) that were resampled.
        resamples: Number of resamples.
        reason: Why there is no interval.
    """

    estimate: float | None
    standard_error: float | None
    interval: Interval | None
    n_groups: int
    resamples: int
    reason: str | None = None


def accelerated(
    estimate: float,
    drawn: F64,
    acceleration: float | None,
    *,
    n_groups: int,
    level: float,
    rounding: float = 0.0,
) -> BootstrapEstimate:
    """Give a figure its BCa interval.

    Args:
        estimate: The figure on the sample; NaN where it is undefined.
        drawn: Shape (resamples,), the figure on each resample.
        acceleration: Sum of the cubes of what single groups pull the figure by, over 6 times the sum of
            squares to the power 1.5; NaN where the figure is undefined without some group, None where leaving
            any out changes nothing.
        n_groups: How many groups there are.
        level: Confidence in (0, 1).
        rounding: What the figures may differ by from rounding alone, beyond that of their own arithmetic.

    Returns:
        The estimate. No interval, and a reason, where the figure is undefined somewhere, does not vary, or is
        so skewed that the interval has no end.

    Source:
        Efron 1987, "Better bootstrap confidence intervals"; the acceleration from the jackknife, Efron and
        Tibshirani 1993, "An Introduction to the Bootstrap", equation 14.15. Deviation: resamples that
        repeat the estimate count half below it, as in scipy.
    """
    resamples = len(drawn)
    undefined = np.count_nonzero(~np.isfinite(drawn))
    if undefined or not np.isfinite(estimate) or (acceleration is not None and np.isnan(acceleration)):
        reason = f"undefined in {undefined} of {resamples} resamples, on the sample or without one group"
        return without_interval(estimate, n_groups, resamples, reason)
    spread = float(np.ptp(drawn))
    # Resamples that repeat the sample differ from it by rounding; they are ties, half below it.
    slack = 1e-12 * (spread + abs(estimate)) + rounding
    if spread <= slack:
        return without_interval(estimate, n_groups, resamples, NO_VARIATION)
    if acceleration is None:
        return without_interval(estimate, n_groups, resamples, "leaving out a group changes nothing")
    tied = np.abs(drawn - estimate) <= slack
    below = float(np.mean((drawn < estimate) & ~tied) + np.mean(tied) / 2)
    if not 0 < below < 1:
        return without_interval(
            estimate, n_groups, resamples, "all resamples are on one side of the estimate"
        )
    bias = float(ndtri(below))
    shifted = bias + np.array([-1.0, 1.0]) * float(ndtri(upper_quantile(level)))
    stretch = 1 - acceleration * shifted
    if stretch.min() <= 0:
        return without_interval(estimate, n_groups, resamples, "too skewed for an accelerated interval")
    low, high = np.quantile(drawn, ndtr(bias + shifted / stretch))
    interval = Interval(float(low), float(high), level)
    return BootstrapEstimate(estimate, float(drawn.std(ddof=1)), interval, n_groups, resamples)


def without_interval(estimate: float, n_groups: int, resamples: int, reason: str) -> BootstrapEstimate:
    """Give a figure that has no interval; one that is not finite is none itself."""
    finite = estimate if np.isfinite(estimate) else None
    return BootstrapEstimate(finite, None, None, n_groups, resamples, reason)
