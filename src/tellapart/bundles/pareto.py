"""The Pareto frontier of configurations: which ones no other is better than, and what beats the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from tellapart.bundles.cliff import CliffRecord
from tellapart.bundles.tier_names import ALIASES, OVERALL, TIERS
from tellapart.bundles.tier_stats import less_is_better
from tellapart.core.arrays import F64, I64
from tellapart.core.comparison import ALPHA
from tellapart.core.record import Record
from tellapart.core.stats.intervals import NORMAL_95

NO_INTERVALS = "no point has an interval"


class Metric(Record):
    """A figure to compare by, and whether ``max`` or ``min`` of it is better."""

    name: str
    direction: Literal["max", "min"] = "max"


@dataclass(frozen=True, slots=True)
class Dominance:
    """By what a configuration is beaten most clearly.

    Attributes:
        by: A configuration of the frontier.
        p: Two-sided.
        p_adjusted: Corrected for all differences there are to look at.
        verdict: ``better`` or ``not_separated``.
    """

    by: str
    metric: str
    p: float | None
    p_adjusted: float | None
    verdict: Literal["better", "not_separated"]


@dataclass(frozen=True)
class PointFigure:
    """A figure of a configuration.

    Attributes:
        value: The mean over its seeds.
        interval: At 95 %, or None.
        covers: What noise the interval allows for: ``bundles``, ``seeds`` or ``seeds and bundles``.
    """

    value: float
    interval: tuple[float, float] | None
    n_seeds: int
    covers: Literal["bundles", "seeds", "seeds and bundles"] | None


class FrontierRecord(Record):
    """What ``bundles pareto --json`` prints; names stand from the best by the first metric down.

    Attributes:
        metrics: The most important first.
        frontier: Configurations that no other dominates.
        dominated: The others, and the first configuration that dominates each.
        within_noise: Those that are dominated only within noise; None where noise is not known.
        reason: Why it is not known.
        dominance: Of the dominated ones, by what and how clearly.
        cautions: What decides how much the figures are worth.
        alpha: The level of the verdicts.
        exploratory: Whether the scoreboards of one eval have several fingerprints.
        evals: The fingerprints by eval, where evals are named.
        points: By configuration and metric, where there are several evals or seeds; else empty.
        left_out: Configurations and seeds that an eval lacks, and why.
        cliffs: Of the trainings of which there are several steps on the first two evals.
    """

    metrics: tuple[Metric, ...]
    frontier: tuple[str, ...]
    dominated: dict[str, str]
    within_noise: tuple[str, ...] | None
    reason: str | None
    dominance: dict[str, Dominance]
    cautions: tuple[str, ...]
    alpha: float
    looks: int
    exploratory: bool
    fingerprints: tuple[str, ...]
    evals: dict[str, tuple[str, ...]]
    points: dict[str, dict[str, PointFigure]]
    left_out: dict[str, str]
    cliffs: tuple[CliffRecord, ...]


@dataclass(frozen=True)
class Points:
    """Configurations and their figures.

    Attributes:
        names: Shape (n,), each once.
        metrics: Two or more, the first of most weight where something must come first.
        values: Shape (n, metrics), finite, as measured.
        intervals: Shape (n, metrics, 2), the ends of the 95 % interval; NaN where there is none.
        z: By number of a metric, shape (n, n): how far one point is above another beyond noise, where the
            same items were scored for all; as `recorded_z` gives it of intervals, and in its place.
        cautions: What decides how much the figures are worth, a sentence each.
        figures: By configuration and metric the value with its interval, and what that allows for.
        evals: By eval the fingerprints of its files, one unless they were to be mixed.
        left_out: Configurations and seeds that an eval lacks, and why.
        cliffs: Of the trainings that the first two evals follow.
    """

    names: tuple[str, ...]
    metrics: tuple[Metric, ...]
    values: F64
    intervals: F64
    z: Mapping[int, F64] = field(default_factory=dict)
    cautions: tuple[str, ...] = ()
    figures: Mapping[str, Mapping[str, PointFigure]] = field(default_factory=dict)
    evals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    cliffs: tuple[CliffRecord, ...] = ()

    @property
    def looks(self) -> int:
        """How many differences there are to look at: of every two points in every metric."""
        return len(self.names) * (len(self.names) - 1) // 2 * len(self.metrics)

    def frame(self) -> pl.DataFrame:
        """``name`` and, by number of the metric, ``value_0``, ``low_0``, ``high_0`` and so on."""
        columns: dict[str, Any] = {"name": pl.Series(self.names, dtype=pl.String)}
        for i in range(len(self.metrics)):
            columns[f"value_{i}"] = self.values[:, i]
            columns[f"low_{i}"], columns[f"high_{i}"] = self.intervals[:, i, 0], self.intervals[:, i, 1]
        return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))


def frontier(points: Points) -> FrontierRecord:
    """Find the points that no other dominates; equal points stay together.

    One point dominates another when it is no worse in every metric and better in one. Two metrics take
    O(n log n); more take O(n · frontier).

    Source:
        "Crucible Metrics Reference", Pareto Analysis. What beats a point, and how clearly, is ours.
    """
    names = points.names
    sign = np.where([metric.direction == "max" for metric in points.metrics], 1.0, -1.0)
    values = points.values * sign
    order, dominator = _dominators(values, names)
    on, off = order[dominator[order] < 0], order[dominator[order] >= 0].tolist()
    dominance: dict[str, Dominance] | None = None
    if points.z or not np.isnan(points.intervals).all():
        clearest = _clearest(points, values, sign, on, dominator)
        dominance = {names[i]: clearest[i] for i in off}
    return FrontierRecord(
        metrics=points.metrics,
        frontier=tuple(names[i] for i in on.tolist()),
        dominated={names[i]: names[dominator[i]] for i in off},
        within_noise=None
        if dominance is None
        else tuple(name for name, by in dominance.items() if by.verdict != "better"),
        reason=NO_INTERVALS if dominance is None else None,
        dominance=dominance or {},
        cautions=points.cautions,
        alpha=ALPHA,
        looks=points.looks,
        exploratory=any(len(prints) > 1 for prints in points.evals.values()),
        fingerprints=tuple(dict.fromkeys(print_ for prints in points.evals.values() for print_ in prints)),
        evals={name: prints for name, prints in points.evals.items() if name},
        points={name: dict(figures) for name, figures in points.figures.items()},
        left_out=dict(points.left_out),
        cliffs=points.cliffs,
    )


def _dominators(values: F64, names: Sequence[str]) -> tuple[I64, I64]:
    """The points from the best by the first metric down, and of each the first of these that dominates it.

    Ties go by the next metrics, then by name; -1 stands on the frontier.
    """
    by_name = np.empty(len(values), dtype=np.int64)
    by_name[pl.Series(names, dtype=pl.String).arg_sort().to_numpy()] = np.arange(len(values))
    order = np.lexsort((by_name, *(-values[:, i] for i in reversed(range(values.shape[1])))))
    ordered = values[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    heads = np.flatnonzero(new)
    # Equal points stand behind their first one in the order, so each value is looked at once.
    find = _dominators_of_two if values.shape[1] == 2 else _dominators_of_many
    by_head = find(ordered[heads])[np.cumsum(new) - 1]
    dominator = np.empty(len(order), dtype=np.int64)
    dominator[order] = np.where(by_head < 0, -1, order[heads[by_head]] if len(heads) else -1)
    return order, dominator


def _dominators_of_two(values: F64) -> I64:
    """By a sweep."""
    second = values[:, 1]
    best_before = np.concatenate([[-np.inf], np.maximum.accumulate(second)[:-1]])[: len(second)]
    on = np.flatnonzero(second > best_before)
    # Along the frontier the second metric rises, so the first that reaches a point's is found by bisection.
    first: I64 = on[np.searchsorted(second[on], second)] if len(on) else on
    return np.where(second > best_before, -1, first)


def _dominators_of_many(values: F64) -> I64:
    """As `_dominators_of_two` for any number of metrics: the best one left takes all that it dominates."""
    dominator = np.full(len(values), -1, dtype=np.int64)
    columns = np.ascontiguousarray(values.T)
    left = np.arange(len(values))
    while len(left):
        best = left[0]
        beaten = _no_better(columns, columns[:, 0])
        dominator[left[beaten]] = best
        dominator[best] = -1
        left, columns = left[~beaten], columns[:, ~beaten]
    return dominator


def _no_better(columns: F64, point: F64) -> NDArray[np.bool_]:
    """Which of the points, shape (metrics, n), are better than one in no metric; shape (n,)."""
    no_better: NDArray[np.bool_] = columns[0] <= point[0]
    for column, value in zip(columns[1:], point[1:], strict=True):
        no_better &= column <= value
    return no_better


def _clearest(points: Points, values: F64, sign: F64, frontier: I64, dominator: I64) -> dict[int, Dominance]:
    """By which point of the frontier, and in which metric, each dominated point is beaten most clearly.

    A value without an interval counts as exact. Which difference is the clearest was not known before, so
    each p is multiplied by the number of differences there are to look at, as Bonferroni did.
    """
    ends = np.where(np.isnan(points.intervals), points.values[:, :, None], points.intervals) * sign[:, None]
    below, above = values - ends.min(axis=2), ends.max(axis=2) - values
    open_ = np.flatnonzero(dominator >= 0)
    clearest = np.zeros(len(values))
    by, metric = dominator.copy(), np.zeros(len(values), dtype=np.int64)
    # What is beaten clearly enough need not be held against the rest of the frontier.
    enough = z_of(ALPHA / max(1, points.looks))
    columns, tops = np.ascontiguousarray(values[open_].T), np.ascontiguousarray(above[open_].T)
    for best in frontier.tolist():
        beaten = np.flatnonzero(_no_better(columns, values[best]))
        if not len(beaten):
            continue
        for j in range(len(sign)):
            if j in points.z:
                z = sign[j] * points.z[j][best, open_[beaten]]
            else:
                z = recorded_z(values[best, j] - columns[j, beaten], below[best, j], tops[j, beaten])
            better = z > clearest[open_[beaten]]
            which = open_[beaten[better]]
            clearest[which], by[which], metric[which] = z[better], best, j
        left = clearest[open_] < enough
        if not left[beaten].all():
            open_, columns, tops = open_[left], columns[:, left], tops[:, left]
    found = np.flatnonzero(dominator >= 0)
    p_values = 2 * ndtr(-clearest[found])
    adjusted = np.minimum(1.0, p_values * points.looks)
    return {
        i: Dominance(
            by=points.names[by[i]],
            metric=points.metrics[metric[i]].name,
            p=p,
            p_adjusted=q,
            verdict="better" if q <= ALPHA else "not_separated",
        )
        for i, p, q in zip(found.tolist(), p_values.tolist(), adjusted.tolist(), strict=True)
    }


def metrics_named(names: Sequence[str]) -> tuple[Metric, ...]:
    """Read metrics as they are typed: ``NAME``, ``NAME:max`` or ``NAME:min``; a name may hold colons.

    Without a direction more is better, but for the figures of scoreboards of which less is. The name may be
    ``EVAL:FIGURE`` or ``EVAL:TIER.FIGURE``; see ``figure_of``.
    """
    metrics = []
    for text in names:
        name, _, direction = text.rpartition(":")
        has_direction = direction in ("max", "min") and name
        if not has_direction:
            name, direction = text, "min" if less_is_better(figure_of(text)) else "max"
        metrics.append(Metric.model_validate({"name": name, "direction": direction}))
    return tuple(metrics)


def figure_of(name: str) -> str:
    """Give the figure that ``EVAL:TIER.FIGURE`` names, as scoreboards call it: ``tier3_adversarial_mrr``."""
    figure = name.partition(":")[2] or name
    tier, dot, figure_name = figure.partition(".")
    tier = ALIASES.get(tier, tier)
    if not dot or tier not in (OVERALL, *TIERS):
        return figure
    return figure_name if tier == OVERALL else f"{tier}_{figure_name}"


def recorded_z(gap: F64, near: F64, far: F64) -> F64:
    """Give the z of the difference of two independent figures.

    Args:
        gap: Any shape, the difference.
        near: Likewise, from the figure that is ahead to the end of its 95 % interval that lies towards the
            other, >= 0; 0 for a figure that is exact.
        far: From the other figure to the end of its interval that lies towards the first.

    Returns:
        The shape of ``gap``: 0 where there is none, infinite where two exact figures differ. Figures of the
        same items mostly vary together, and then this claims too little rather than too much.

    Source:
        Zou and Donner 2008, "Construction of confidence limits about effect measures: a general approach".
    """
    noise = np.hypot(near, far) / NORMAL_95
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(gap == 0, 0.0, gap / noise)


def z_of(p: float) -> float:
    """Give the z of a two-sided p, >= 0."""
    return -float(ndtri(p / 2))
