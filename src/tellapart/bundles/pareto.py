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


class Metric(Record):
    """A figure to compare by, and whether ``max`` or ``min`` of it is better."""

    name: str
    direction: Literal["max", "min"] = "max"


@dataclass(frozen=True, slots=True)
class Dominance:
    """By which configuration of the frontier, and in which metric, one is beaten most clearly."""

    by: str
    metric: str
    p: float | None
    p_adjusted: float | None
    verdict: Literal["better", "not_separated"]


@dataclass(frozen=True)
class PointFigure:
    """A figure of a configuration, the mean over its seeds, with its 95 % interval and what that covers."""

    value: float
    interval: tuple[float, float] | None
    n_seeds: int
    covers: Literal["bundles", "seeds", "seeds and bundles"] | None


class FrontierRecord(Record):
    """What ``bundles pareto --json`` prints; names stand from the best by the first metric down.

    ``dominated`` names the first configuration that dominates each; ``within_noise`` is None where ``reason``
    says why. ``points`` is empty unless there are several evals or seeds.
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
    """Configurations and their figures by metric, shape (n, metrics), with 95 % intervals or NaN.

    Where the same items or seeds were compared, ``z`` has by number of the metric how far one point is above
    another, shape (n, n), in place of the intervals.
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
    is_known = bool(points.z) or not np.isnan(points.intervals).all()
    clearest = _clearest(points, values, sign, on, np.array(off, dtype=np.int64)) if is_known else {}
    prints = points.evals.values()
    return FrontierRecord(
        metrics=points.metrics,
        frontier=tuple(names[i] for i in on.tolist()),
        dominated={names[i]: names[dominator[i]] for i in off},
        within_noise=tuple(name for name, beaten in clearest.items() if beaten.verdict != "better")
        if is_known
        else None,
        reason=None if is_known else "no point has an interval",
        dominance=clearest,
        cautions=points.cautions,
        alpha=ALPHA,
        looks=points.looks,
        exploratory=any(len(of_eval) > 1 for of_eval in prints),
        fingerprints=tuple(dict.fromkeys(print_ for of_eval in prints for print_ in of_eval)),
        evals={name: of_eval for name, of_eval in points.evals.items() if name},
        points={name: dict(figures) for name, figures in points.figures.items()},
        left_out=dict(points.left_out),
        cliffs=points.cliffs,
    )


def _dominators(values: F64, names: Sequence[str]) -> tuple[I64, I64]:
    """The points from the best by the first metric down, and of each the first of these that dominates it.

    Ties go by the next metrics, then by name; -1 stands on the frontier.
    """
    distinct, group = np.unique(-values, axis=0, return_inverse=True)
    by_name = np.empty(len(names), dtype=np.int64)
    by_name[np.argsort(np.array(names, dtype=object))] = np.arange(len(names))
    order = np.lexsort((by_name, group))
    first = order[np.searchsorted(group[order], np.arange(len(distinct)))]
    by_group = (_dominators_of_two if values.shape[1] == 2 else _dominators_of_many)(-distinct)[group]
    return order, np.where(by_group < 0, -1, first[by_group])


def _dominators_of_two(values: F64) -> I64:
    """Sweep distinct points, the best first."""
    second = values[:, 1]
    best_before = np.concatenate([[-np.inf], np.maximum.accumulate(second)[:-1]])[: len(second)]
    on = np.flatnonzero(second > best_before)
    # Along the frontier the second metric rises, so the first that reaches a point's is found by bisection.
    first: I64 = on[np.searchsorted(second[on], second)] if len(on) else on
    return np.where(second > best_before, -1, first)


def _dominators_of_many(values: F64) -> I64:
    """As `_dominators_of_two` for any number of metrics: the best one left takes all that it dominates."""
    dominator = np.full(len(values), -1, dtype=np.int64)
    left = np.arange(len(values))
    while len(left):
        best, is_beaten = left[0], (values[left] <= values[left[0]]).all(axis=1)
        dominator[left[is_beaten]] = best
        dominator[best] = -1
        left = left[~is_beaten]
    return dominator


def _clearest(points: Points, values: F64, sign: F64, on: I64, off: I64) -> dict[str, Dominance]:
    """By which point of the frontier, and in which metric, each dominated point is beaten most clearly.

    A value without an interval counts as exact. The clearest of all differences was not known before, so its
    p is corrected for all of them, as Bonferroni did: the decider's Holm needs the p of every two points, and
    of many points these are too many. Of tested points, z is that of the decider's p.
    """
    ends = np.where(np.isnan(points.intervals), points.values[:, :, None], points.intervals) * sign[:, None]
    below, above = values - ends.min(axis=2), ends.max(axis=2) - values
    clearest = np.full(len(off), -1.0)
    by, metric = np.zeros(len(off), dtype=np.int64), np.zeros(len(off), dtype=np.int64)
    for best in on.tolist():
        is_beaten: NDArray[np.bool_] = (values[off] <= values[best]).all(axis=1)
        for j in range(len(sign)):
            if j in points.z:
                z = sign[j] * points.z[j][best, off]
            else:
                z = recorded_z(values[best, j] - values[off, j], below[best, j], above[off, j])
            better = is_beaten & (z > clearest)
            clearest[better], by[better], metric[better] = z[better], best, j
    p_values = 2 * ndtr(-np.maximum(clearest, 0.0))
    adjusted = np.minimum(1.0, p_values * points.looks)
    return {
        points.names[off[i]]: Dominance(
            by=points.names[by[i]],
            metric=points.metrics[metric[i]].name,
            p=p,
            p_adjusted=q,
            verdict="better" if q <= ALPHA else "not_separated",
        )
        for i, (p, q) in enumerate(zip(p_values.tolist(), adjusted.tolist(), strict=True))
    }


def metrics_named(names: Sequence[str]) -> tuple[Metric, ...]:
    """Read metrics as they are typed: ``NAME``, ``NAME:max`` or ``NAME:min``; a name may hold colons."""
    metrics = []
    for text in names:
        name, _, direction = text.rpartition(":")
        if direction not in ("max", "min") or not name:
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
    """Give the z of differences of independent figures, by the halves of their intervals between the two.

    Figures of the same items mostly vary together, and then this claims too little rather than too much.

    Source:
        Zou and Donner 2008, "Construction of confidence limits about effect measures: a general approach".
    """
    noise = np.hypot(near, far) / NORMAL_95
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(gap == 0, 0.0, gap / noise)


def z_of(p: float) -> float:
    """Give the z of a two-sided p, >= 0."""
    return -float(ndtri(p / 2))
