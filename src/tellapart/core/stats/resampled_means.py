"""Models on the same items: every mean from one set of bootstrap resamples."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tellapart.core.stats.accelerated import BootstrapEstimate, accelerated, without_interval
from tellapart.core.stats.intervals import Interval, upper_quantile
from tellapart.core.stats.resampled_counts import count_draws
from tellapart.core.stats.resampled_sums import Sample, Sums, kinds_of, sample_of
from tellapart.core.stats.samples import F64, Clusters, why_no_spread

# Of so many items, how many of each kind are drawn instead of which, where kinds are few: a multinomial count
# costs about as much as a hundred draws of one item.
_MANY = 100_000
_DRAWS_PER_COUNT = 100
_KINDS = 4096
_ROWS = 1000


@dataclass(frozen=True)
class MeansBootstrap:
    """Figures that were all computed on the same resamples.

    Attributes:
        means: One a model, of its mean over the items that it has a score on.
        percentiles: One a model, from the quantiles of the resampled means as they are; None where ``means``
            has no interval.
    """

    means: tuple[BootstrapEstimate, ...]
    percentiles: tuple[Interval | None, ...]


def bootstrap_means(
    scores: ArrayLike,
    *,
    rng: np.random.Generator,
    clusters: Clusters | None = None,
    resamples: int = 10_000,
    level: float = 0.95,
) -> MeansBootstrap:
    """Give models' means with BCa intervals, resampling whole clusters.

    The scores are rounded, by less than 1e-10 of their range for 100,000 items, so that every sum over a
    resample is exact: neither the order of the additions nor the number of cores changes a bit. From 100,000
    items on, without clusters and holes, those on which all models did the same are interchangeable, and if
    such kinds are few their numbers are drawn: five million items of two models take two seconds.

    Args:
        scores: Shape (models, items), any unit; NaN is missing.
        rng: Draws the resamples; it is left as it was.
        clusters: Shape (items,), any hashable labels, resampled whole; ``None`` means alone. Whichever
            way the items are ordered, clusters with the same labels give the same figures.
        resamples: Number of resamples, at least 2; a thousand or more for a stable interval.
        level: Confidence in (0, 1).

    Returns:
        The figures. No interval, and a reason, below two items or two clusters with a score, without
        variation, and where a resample has no score at all.

    Raises:
        ValueError: A score is infinite, the shapes differ, or a setting is out of range.

    Source:
        Efron 1987, "Better bootstrap confidence intervals", see `accelerated`; the jackknife of a ratio
        of sums over clusters in closed form.
    """
    upper_quantile(level)
    if resamples < 2:
        raise ValueError(f"resamples is {resamples!r}, expected 2 or more.")
    sample = sample_of(scores, clusters)
    sums = _drawn(sample, resamples, deepcopy(rng))
    means: list[BootstrapEstimate] = []
    percentiles: list[Interval | None] = []
    for model in range(sample.models):
        drawn = sums.means(model)
        means.append(_estimate(sample, model, drawn, level))
        percentiles.append(_percentiles(drawn, level) if means[-1].interval else None)
    return MeansBootstrap(tuple(means), tuple(percentiles))


def _drawn(sample: Sample, resamples: int, rng: np.random.Generator) -> Sums:
    draws = None
    if sample.groups >= _MANY:
        draws = kinds_of(sample, min(_KINDS, sample.groups // _DRAWS_PER_COUNT))
    if draws is None:
        sums = Sums(sample, resamples)
        if sample.groups > 1:
            count_draws(sample.groups, resamples, rng, sums.over)
        return sums
    kinds, alike = draws
    sums = Sums(kinds, resamples)
    add = sums.over(slice(0, kinds.groups))
    for start in range(0, resamples, _ROWS):
        rows = slice(start, min(start + _ROWS, resamples))
        counts = rng.multinomial(sample.groups, alike / sample.groups, size=rows.stop - start)
        add(rows, counts.astype(np.float64))
    return sums


def _estimate(sample: Sample, model: int, drawn: F64, level: float) -> BootstrapEstimate:
    totals, sizes = sample.by_group(model)
    total, size = float(totals.sum()), float(sizes.sum())
    n_groups = int(np.count_nonzero(sizes))
    estimate = sample.centre + sample.step * (total / size) if size else float("nan")
    reason = why_no_spread(int(size), n_groups)
    if reason:
        return without_interval(estimate, n_groups, len(drawn), reason)
    pull = (totals - sizes * (total / size)) / (size - sizes)
    pull -= pull.mean()
    squared = np.square(pull)
    squares, cubes = float(squared.sum()), float((squared * pull).sum())
    acceleration = cubes / (6 * squares**1.5) if squares else None
    # Each score is half a step off at most, on either side of a comparison.
    return accelerated(estimate, drawn, acceleration, n_groups=n_groups, level=level, rounding=sample.step)


def _percentiles(drawn: F64, level: float) -> Interval:
    upper = upper_quantile(level)
    low, high = np.quantile(drawn, [1 - upper, upper])
    return Interval(float(low), float(high), level)
