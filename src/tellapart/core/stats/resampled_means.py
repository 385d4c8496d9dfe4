"""Models on the same items: every mean from one set of bootstrap resamples."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.core.arrays import F64, I64
from tellapart.core.estimate import EstimateWithError, Interval
from tellapart.core.jobs import Spread
from tellapart.core.stats.bootstrap import accelerated, without_interval
from tellapart.core.stats.intervals import upper_quantile
from tellapart.core.stats.resampled_counts import Add, count_draws
from tellapart.core.stats.samples import Clusters, cluster_codes, why_no_spread

# Sums, and their differences in the jackknife, stay whole numbers below 2**53.
_BITS = 51


@dataclass(frozen=True)
class Sample:
    """Scores as whole numbers, the items of a group side by side.

    Attributes:
        values: Shape (models, items), whole numbers of ``step`` above ``centre``; 0 where there is no score.
        present: Shape (models, items), whether there is a score.
        starts: Shape (groups,), the first item of each group.
        group: Shape (items,), the group of each item, ascending.
        step: A power of two.
        centre: The middle of the scores' range.
    """

    values: F64
    present: NDArray[np.bool_]
    starts: I64
    group: I64
    step: float
    centre: float

    @property
    def models(self) -> int:
        """How many models there are."""
        return len(self.values)

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self.starts)

    @cached_property
    def complete(self) -> list[bool]:
        """For each model, whether it has a score on every item."""
        return [bool(present.all()) for present in self.present]

    @cached_property
    def sizes(self) -> F64:
        """Shape (groups,), items of each group."""
        return np.diff(np.append(self.starts, len(self.group))).astype(np.float64)

    @cached_property
    def totals(self) -> F64:
        """Shape (models, groups), sums of the values of each group."""
        return self._summed(self.values)

    def by_group(self, model: int) -> tuple[F64, F64]:
        """Sum a model's values over each group.

        Returns:
            The sums and how many items they are over, each of shape (groups,).
        """
        complete = self.complete[model]
        return self.totals[model], self.sizes if complete else self._summed(
            self.present[model].astype(np.float64)
        )

    def _summed(self, values: F64) -> F64:
        alone = self.groups == len(self.group)
        sums: F64 = values if alone else np.add.reduceat(values, self.starts, axis=-1)
        return sums


def sample_of(scores: ArrayLike, clusters: Clusters | None = None) -> Sample:
    """Round scores to whole numbers that can be added up exactly, however often a group is drawn.

    Args:
        scores: Shape (models, items); NaN is missing.
        clusters: Shape (items,), any hashable labels; ``None`` means alone.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError(
            f"scores have shape {table.shape} and are {'not ' * bool(np.isinf(table).any())}finite or NaN, "
            "expected (models, items)."
        )
    codes, groups = cluster_codes(clusters, table.shape[1])
    order = np.argsort(codes, kind="stable")
    table = table[:, order]
    present = ~np.isnan(table)
    some = table[present]
    centre = float(some.min() / 2 + some.max() / 2) if some.size else 0.0
    values = np.where(present, table - centre, 0.0)
    sizes = np.bincount(codes, minlength=groups)
    largest = float(np.abs(values).max(initial=0)) * int(sizes.max(initial=0)) * groups
    exponent = int(np.frexp(largest)[1]) - _BITS
    return Sample(
        values=np.rint(np.ldexp(values, -exponent)),
        present=present,
        starts=np.cumsum(sizes) - sizes,
        group=codes[order],
        step=float(np.ldexp(1.0, exponent)),
        centre=centre,
    )


def kinds_of(sample: Sample, most: int) -> tuple[Sample, I64] | None:
    """Put items on which all models did the same together.

    Args:
        sample: What is resampled.
        most: Kinds, above which they are not worth it.

    Returns:
        A sample of one item a kind, in the order in which they first occur, and how many items are alike;
        None where there are more kinds, where items share a group and where a score is missing.
    """
    if sample.groups < len(sample.group) or not all(sample.complete):
        return None
    code, count = np.zeros(sample.groups, dtype=np.int64), 1
    for values in sample.values:
        levels, level = np.unique(values, return_inverse=True)
        if len(levels) > most:
            return None
        kinds, code = np.unique(code * len(levels) + level, return_inverse=True)
        count = len(kinds)
        if count > most:
            return None
    _, first, alike = np.unique(code, return_index=True, return_counts=True)
    turn = np.argsort(first)
    places = np.arange(count)
    of_kinds = replace(
        sample,
        values=sample.values[:, first[turn]],
        present=sample.present[:, first[turn]],
        starts=places,
        group=places,
    )
    return of_kinds, alike[turn]


class Sums:
    """Sums over resamples, gathered while these are drawn.

    Attributes:
        values: Shape (resamples, columns), whole numbers: the values of each model, the number of items, and
            how many of them each model lacks that lacks any.
    """

    def __init__(self, sample: Sample, resamples: int) -> None:
        """Get ready to add.

        Args:
            sample: What is resampled.
            resamples: How often.
        """
        self._sample = sample
        self._lacking = [model for model in range(sample.models) if not sample.complete[model]]
        self.values = np.zeros((resamples, sample.models + 1 + len(self._lacking)))

    def over(self, groups: slice) -> Add:
        """Give what adds the counts of some groups, for `count_draws`."""
        sample = self._sample
        lost = [(sample.sizes - sample.by_group(model)[1])[groups] for model in self._lacking]
        table = np.column_stack([sample.totals[:, groups].T, sample.sizes[groups], *lost])

        def add(rows: slice, counts: F64) -> None:
            self.values[rows] += counts @ table

        return add

    def means(self, model: int) -> F64:
        """Shape (resamples,), a model's mean; NaN where a resample has none of its scores."""
        items: F64 = self.values[:, self._sample.models]
        if model in self._lacking:
            items = items - self.values[:, self._sample.models + 1 + self._lacking.index(model)]
        with np.errstate(invalid="ignore"):
            drawn: F64 = self.values[:, model] / items
        return self._sample.centre + self._sample.step * drawn


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

    means: tuple[EstimateWithError, ...]
    percentiles: tuple[Interval | None, ...]


def bootstrap_means(
    scores: ArrayLike,
    *,
    rng: np.random.Generator,
    clusters: Clusters | None = None,
    resamples: int = 10_000,
    level: float = 0.95,
    spread: Spread | None = None,
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
        spread: Draws them in other processes, where which items are drawn; None for the threads of this one.

    Returns:
        The figures. No interval, and a reason, below two items or two clusters with a score, without
        variation, and where a resample has no score at all.

    Source:
        Efron 1987, "Better bootstrap confidence intervals", see `accelerated`; the jackknife of a ratio
        of sums over clusters in closed form.
    """
    upper_quantile(level)
    if resamples < 2:
        raise ValueError(f"resamples is {resamples!r}, expected 2 or more.")
    sample = sample_of(scores, clusters)
    sums = _drawn(sample, resamples, deepcopy(rng), spread)
    means: list[EstimateWithError] = []
    percentiles: list[Interval | None] = []
    for model in range(sample.models):
        drawn = sums.means(model)
        means.append(_estimate(sample, model, drawn, level))
        percentiles.append(_percentiles(drawn, level) if means[-1].interval else None)
    return MeansBootstrap(tuple(means), tuple(percentiles))


@dataclass(frozen=True)
class ResampleJob:
    """Draws some of the resamples; the sums over them are the same, whoever draws the others."""

    sample: Sample
    resamples: int
    rng: np.random.Generator
    name: str = "resampling items"

    def open(self) -> None:
        """Nothing."""

    def do(self, _: None, rows: slice) -> F64:
        """Give these rows of ``Sums.values``."""
        sums = Sums(self.sample, self.resamples)
        count_draws(self.sample.groups, self.resamples, deepcopy(self.rng), sums.over, rows)
        return sums.values[rows]

    def describe(self, rows: slice) -> str:
        """Name the resamples."""
        return f"resamples {rows.start + 1:,} to {rows.stop:,}"


def _drawn(sample: Sample, resamples: int, rng: np.random.Generator, spread: Spread | None) -> Sums:
    draws = None
    if sample.groups >= _MANY:
        draws = kinds_of(sample, min(_KINDS, sample.groups // _DRAWS_PER_COUNT))
    if draws is None:
        sums = Sums(sample, resamples)
        if sample.groups > 1 and spread is not None:
            parts = _parts(resamples)
            for part, values in spread(ResampleJob(sample, resamples, rng), parts):
                sums.values[parts[part]] = values
        elif sample.groups > 1:
            count_draws(sample.groups, resamples, rng, sums.over)
        return sums
    kinds, alike = draws
    sums = Sums(kinds, resamples)
    add = sums.over(slice(0, kinds.groups))
    for rows in _parts(resamples):
        counts = rng.multinomial(sample.groups, alike / sample.groups, size=rows.stop - rows.start)
        add(rows, counts.astype(np.float64))
    return sums


def _parts(resamples: int) -> list[slice]:
    return [slice(start, min(start + _ROWS, resamples)) for start in range(0, resamples, _ROWS)]


def _estimate(sample: Sample, model: int, drawn: F64, level: float) -> EstimateWithError:
    totals, sizes = sample.by_group(model)
    total, size = float(totals.sum()), float(sizes.sum())
    n_groups = int(np.count_nonzero(sizes))
    estimate = sample.centre + sample.step * (total / size) if size else float("nan")
    reason = why_no_spread(int(size), n_groups)
    if reason:
        return without_interval(estimate, n_groups, reason)
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
    return Interval(float(low), float(high))
