"""Gates: whether a candidate fell by more than is allowed, with three ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

import numpy as np

from tellapart.core.comparison.compare import check_models, primary_family, with_notes, within_primary
from tellapart.core.comparison.pairs import Family, PairComparison
from tellapart.core.comparison.settings import ComparisonSettings
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats import Interval, items_needed_t
from tellapart.errors import UsageError


class GateOutcome(StrEnum):
    """How a gate ends."""

    PASSED = "passed"
    FAILED = "failed"
    UNCLEAR = "unclear"

    @property
    def exit_code(self) -> int:
        """What a command that runs the gate ends with: 0, 3 or 4."""
        return {GateOutcome.PASSED: 0, GateOutcome.FAILED: 3, GateOutcome.UNCLEAR: 4}[self]


@dataclass(frozen=True)
class Flip:
    """An item on which a candidate and the baseline differ.

    Attributes:
        item: Its id.
        baseline: The baseline's score.
        candidate: The candidate's.
    """

    item: str
    baseline: float
    candidate: float


@dataclass(frozen=True)
class Gate:
    """Whether a candidate's mean score fell by more than is allowed.

    Attributes:
        candidate: A model.
        baseline: The model that it must not fall behind.
        scope: The items: ``all items``, or ``COLUMN=VALUE``.
        max_drop: The largest fall that is allowed, in score units, >= 0.
        change: Mean of candidate - baseline, or None without a common item.
        interval: Of the change, at the level of the comparison, or None.
        n: Common items.
        outcome: Passed where the interval lies above ``-max_drop``, failed where it lies below, else unclear.
        can_fire: Whether the worst candidate there could be would fail.
        items_to_settle: Items, these included, with which a change as observed would be clear with the
            planned power; None where no number would, or where it is clear.
        reason: Why it is unclear; or empty.
        flips: Items on which the two differ, the largest differences first, losses before gains, then by id.
    """

    candidate: str
    baseline: str
    scope: str
    max_drop: float
    change: float | None
    interval: Interval | None
    n: int
    outcome: GateOutcome
    can_fire: bool
    items_to_settle: int | None
    reason: str
    flips: tuple[Flip, ...]


def check_limit(value: float, name: str, most: float = 1.0) -> float:
    """Check the limit of a gate.

    Args:
        value: The limit, in score units.
        name: The option that it came from.
        most: The widest that differences can be.

    Raises:
        UsageError: It is not a finite number from 0 to ``most``.
    """
    if not isfinite(value) or not 0 <= value < most:
        raise UsageError(
            f"{name} is {value!r}, expected a number from 0 up to, but not including, {most:g}",
            next_step=f"For two points of a rate in [0, 1] write {name} 0.02",
        )
    return value


def judge_change(interval: Interval | None, max_drop: float) -> GateOutcome:
    """Decide on a change by its interval: below the limit, above it, or neither."""
    if interval is None:
        return GateOutcome.UNCLEAR
    if interval.high < -max_drop:
        return GateOutcome.FAILED
    return GateOutcome.PASSED if interval.low > -max_drop else GateOutcome.UNCLEAR


def run_gates(grid: ScoreGrid, max_drop: float, settings: ComparisonSettings) -> tuple[Gate, ...]:
    """Hold every candidate against the baseline.

    Args:
        grid: The scores.
        max_drop: The largest fall that is allowed, in score units, >= 0.
        settings: With the baseline, and the part of the items that the gate is about, if it is about one.

    Returns:
        A gate for each other model, in ascending order of names. Their intervals are those of the primary
        family of `compare` under the same settings.

    Raises:
        InputError: As `compare`.
    """
    settings = with_notes(settings, grid)
    check_models(grid, settings.baseline)
    family = primary_family(grid, settings)
    part = within_primary(grid, settings)
    return tuple(_gate(part, family, pair, max_drop, settings) for pair in family.pairs)


def _gate(
    part: ScoreGrid, family: Family, pair: PairComparison, max_drop: float, settings: ComparisonSettings
) -> Gate:
    baseline = settings.baseline or pair.a
    candidate = pair.b if pair.a == baseline else pair.a
    change, interval = pair.of(candidate)
    outcome, reason = judge_change(interval, max_drop), ""
    can_fire = _worst(part, candidate, settings, len(family.pairs), max_drop) is GateOutcome.FAILED
    if not can_fire:
        outcome, reason = GateOutcome.UNCLEAR, _why_it_cannot_fire(part, baseline, pair, max_drop)
    elif outcome is not GateOutcome.UNCLEAR and _missing_could_turn(pair, candidate, outcome, max_drop):
        outcome, reason = GateOutcome.UNCLEAR, "scores are missing that could turn it round"
    elif outcome is GateOutcome.UNCLEAR:
        reason = pair.reason or "the change may be larger or smaller than the limit, within noise"
    return Gate(
        candidate,
        baseline,
        family.name,
        max_drop,
        change,
        interval,
        pair.n,
        outcome,
        can_fire,
        _to_settle(pair, change, max_drop, settings) if outcome is GateOutcome.UNCLEAR and can_fire else None,
        reason,
        flips(part, candidate, baseline),
    )


def flips(
    grid: ScoreGrid, candidate: str, baseline: str, weights: Sequence[float] | None = None
) -> tuple[Flip, ...]:
    """List the items on which two models differ, the most decisive first.

    Args:
        grid: The scores.
        candidate: A model.
        baseline: Another.
        weights: How decisive each item of the grid is; by default how far the two scores are apart.
    """
    new, old = (grid.scores[grid.models.index(name)] for name in (candidate, baseline))
    gaps = new - old
    size = np.abs(gaps) if weights is None else np.abs(np.asarray(weights, dtype=np.float64))
    differing = np.flatnonzero(~np.isnan(gaps) & (gaps != 0)).tolist()
    differing.sort(key=lambda i: (-size[i], gaps[i] > 0, str(grid.items[i])))
    return tuple(Flip(str(grid.items[i]), float(old[i]), float(new[i])) for i in differing)


def _worst(
    part: ScoreGrid, candidate: str, settings: ComparisonSettings, candidates: int, max_drop: float
) -> GateOutcome:
    """The outcome for a candidate that gets the lowest score on every item."""
    baseline = settings.baseline or ""
    low = part.limits[0] if isfinite(part.limits[0]) else None
    if low is None:
        return GateOutcome.FAILED
    two = part.of_models(sorted(part.models.index(name) for name in (candidate, baseline)))
    scores = two.scores.copy()
    row = two.models.index(candidate)
    scores[row] = np.where(np.isnan(scores[row]), np.nan, low)
    lowest = ScoreGrid(**{**vars(two), "scores": scores, "low": scores, "high": scores})
    alone = ComparisonSettings(
        baseline=baseline, alpha=settings.alpha / max(1, candidates), sesoi=settings.sesoi, seed=settings.seed
    )
    (pair,) = primary_family(lowest, alone).pairs
    change, interval = pair.of(candidate)
    if interval is None and pair.p is not None and pair.p <= alone.alpha and change is not None:
        # The same fall on every item: nothing varies, and the fall is what it is.
        return GateOutcome.FAILED if change < -max_drop else GateOutcome.UNCLEAR
    return judge_change(interval, max_drop)


def _why_it_cannot_fire(part: ScoreGrid, baseline: str, pair: PairComparison, max_drop: float) -> str:
    scores = part.scores[part.models.index(baseline)]
    mean = float(np.nanmean(scores)) if not np.isnan(scores).all() else None
    if mean is not None and mean - part.limits[0] <= max_drop:
        return (
            f"this gate cannot fail: the baseline {baseline} is at {mean:.3g}, so nothing can fall by more "
            f"than {max_drop:g}"
        )
    sources = "" if pair.n_clusters == pair.n else f" from {pair.n_clusters} sources"
    return f"this gate cannot fail: {pair.n} items{sources} are too few for any outcome to"


def _missing_could_turn(pair: PairComparison, candidate: str, outcome: GateOutcome, max_drop: float) -> bool:
    if pair.bounds is None:
        return False
    low, high = pair.bounds if candidate == pair.a else (-pair.bounds[1], -pair.bounds[0])
    return high >= -max_drop if outcome is GateOutcome.FAILED else low <= -max_drop


def _to_settle(
    pair: PairComparison, change: float | None, max_drop: float, settings: ComparisonSettings
) -> int | None:
    if change is None or pair.sd is None or pair.level is None:
        return None
    return items_needed_t(
        change + max_drop,
        pair.sd,
        power=settings.power,
        alpha=pair.level,
        design_effect=pair.design_effect or 1.0,
        items_per_cluster=pair.n / pair.n_clusters,
    )
