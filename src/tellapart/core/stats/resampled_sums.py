"""Sums of scores over resampled groups of items, exact to the last bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.core.stats.resampled_counts import Add
from tellapart.core.stats.samples import F64, I64, Clusters, cluster_codes

Pair: TypeAlias = tuple[int, int]

# Sums of two models, and of what each lacks, stay whole numbers below 2**53.
_BITS = 51


@dataclass(frozen=True)
class Sample:
    """Scores as whole numbers, the items of a group side by side.

    Attributes:
        values: Shape (items, models), whole numbers of ``step`` above ``centre``; 0 where there is no score.
        known: Shape (items, models), whether there is a score.
        starts: Shape (groups,), the first item of each group.
        group: Shape (items,), the group of each item, ascending.
        step: A power of two.
        centre: The middle of the scores' range.
    """

    values: F64
    known: NDArray[np.bool_]
    starts: I64
    group: I64
    step: float
    centre: float

    @property
    def models(self) -> int:
        """How many models there are."""
        return int(self.values.shape[1])

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self.starts)

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Shape (models,), whether a model has a score on every item."""
        return np.asarray(self.known.all(axis=0))

    @cached_property
    def sizes(self) -> F64:
        """Shape (groups,), items of each group."""
        return np.diff(np.append(self.starts, len(self.values))).astype(np.float64)

    @cached_property
    def totals(self) -> F64:
        """Shape (models, groups), sums of the values of each group."""
        return np.ascontiguousarray(self._summed(self.values).T)

    def by_group(self, a: int, b: int | None = None) -> tuple[F64, F64]:
        """Sum a model's values, or its differences from another's where both have scores, over each group.

        Returns:
            The sums and how many items they are over, each of shape (groups,).
        """
        models = [a] if b is None else [a, b]
        if self.complete[models].all():
            return (self.totals[a] if b is None else self.totals[a] - self.totals[b]), self.sizes
        known = np.asarray(self.known[:, models].all(axis=1))
        values: F64 = self.values[:, a] if b is None else self.values[:, a] - self.values[:, b]
        return self._summed(np.where(known, values, 0.0)), self._summed(known.astype(np.float64))

    def _summed(self, values: F64) -> F64:
        sums: F64 = values if self.groups == len(values) else np.add.reduceat(values, self.starts, axis=0)
        return sums


def sample_of(scores: ArrayLike, clusters: Clusters | None = None) -> Sample:
    """Round scores to whole numbers that can be added up exactly, however often a group is drawn.

    Args:
        scores: Shape (models, items); NaN is missing.
        clusters: Shape (items,), any hashable labels; ``None`` means alone.

    Raises:
        ValueError: A score is infinite, or the shapes differ.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError(
            f"scores have shape {table.shape} and are {'not ' * bool(np.isinf(table).any())}finite or NaN, "
            "expected (models, items)."
        )
    codes, groups = cluster_codes(clusters, table.shape[1])
    order = np.argsort(codes, kind="stable")
    known = ~np.isnan(table.T[order])
    some = table[~np.isnan(table)]
    centre = float(some.min() / 2 + some.max() / 2) if some.size else 0.0
    values = np.where(known, table.T[order] - centre, 0.0)
    sizes = np.bincount(codes, minlength=groups)
    largest = float(np.abs(values).max(initial=0)) * int(sizes.max(initial=0)) * groups
    exponent = int(np.frexp(largest)[1]) - _BITS
    return Sample(
        values=np.rint(np.ldexp(values, -exponent)),
        known=known,
        starts=np.cumsum(sizes) - sizes,
        group=codes[order],
        step=float(np.ldexp(1.0, exponent)),
        centre=centre,
    )


class Sums:
    """Sums over resamples, gathered while these are drawn."""

    def __init__(self, sample: Sample, resamples: int, pairs: Sequence[Pair]) -> None:
        """Get ready to add.

        Args:
            sample: What is resampled.
            resamples: How often.
            pairs: Pairs of models whose differences will be asked for.
        """
        self._sample = sample
        # Columns: the values of each model, then the number of items.
        self._sums = np.zeros((resamples, sample.models + 1))
        self._others: dict[int, list[int]] = {
            b: sorted({sum(pair) - b for pair in pairs if b in pair})
            for b in np.flatnonzero(~sample.complete).tolist()
        }
        # Where a model has no score: their number, then other models' values and numbers of scores.
        self._lost = {b: np.zeros((resamples, 1 + 2 * len(a))) for b, a in self._others.items()}

    def over(self, groups: slice) -> Add:
        """Give what adds the counts of some groups, for `count_draws`."""
        sample = self._sample
        table = np.column_stack([sample.totals[:, groups].T, sample.sizes[groups]])
        stop = sample.starts[groups.stop] if groups.stop < sample.groups else len(sample.values)
        items = slice(int(sample.starts[groups.start]), int(stop))
        lost = [(self._lost[b], *self._lacking(b, items)) for b in self._others]

        def add(rows: slice, counts: F64) -> None:
            self._sums[rows] += counts @ table
            for sums, group, there in lost:
                sums[rows] += np.take(counts, group - groups.start, axis=1) @ there

        return add

    def _lacking(self, model: int, items: slice) -> tuple[I64, F64]:
        """Find the groups of the items that a model has no score on, and what others have there."""
        at = items.start + np.flatnonzero(~self._sample.known[items, model])
        cells = np.ix_(at, self._others[model])
        there = [np.ones((len(at), 1)), self._sample.values[cells], self._sample.known[cells]]
        return self._sample.group[at], np.concatenate(there, axis=1)

    def means(self, model: int) -> F64:
        """Shape (resamples,), a model's mean; NaN where a resample has none of its scores."""
        with np.errstate(invalid="ignore"):
            drawn: F64 = self._sums[:, model] / self._items(model)
        return self._sample.centre + self._sample.step * drawn

    def differences(self, pair: Pair) -> F64:
        """Shape (resamples,), the mean difference over common items; NaN where a resample has none."""
        a, b = pair
        totals, items = self._sums[:, a] - self._sums[:, b], self._items(a)
        if b in self._lost:
            column, others = 1 + self._others[b].index(a), len(self._others[b])
            totals = totals - self._lost[b][:, column]
            items = items - self._lost[b][:, column + others]
        if a in self._lost:
            totals = totals + self._lost[a][:, 1 + self._others[a].index(b)]
        with np.errstate(invalid="ignore"):
            drawn: F64 = totals / items
        return self._sample.step * drawn

    def _items(self, model: int) -> F64:
        whole: F64 = self._sums[:, -1]
        return whole - self._lost[model][:, 0] if model in self._lost else whole
