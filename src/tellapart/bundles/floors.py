"""A floor: whether the rate of one model lies above what it must reach; passed, failed or unclear."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.estimate import Interval
from tellapart.core.gate_outcome import GateOutcome
from tellapart.core.stats import clustered_rate
from tellapart.core.stats.samples import Clusters
from tellapart.errors import UsageError

WITHIN_NOISE_OF_FLOOR = "within noise, the rate may be above or below the floor"
"""The reason of a floor that could be passed or missed with these items, and is neither."""


@dataclass(frozen=True)
class FloorGate:
    """Whether a rate reaches what it must.

    Attributes:
        model: Whose rate.
        scope: The items: ``all items``, or ``COLUMN=VALUE``.
        floor: What the rate must reach, in (0, 1).
        rate: The rate, or None without items.
        interval: Of the rate, at the level of the settings, or None.
        outcome: Passed where the interval lies above the floor, failed where it lies below, else unclear.
        can_pass: Whether it would be passed if every item were.
        reason: Why it is unclear; or empty.
    """

    model: str
    scope: str
    floor: float
    rate: float | None
    interval: Interval | None
    n: int
    outcome: GateOutcome
    can_pass: bool
    reason: str


def check_floor(value: float, name: str) -> float:
    """Check what a rate must reach."""
    if 0 < value < 1:
        return value
    percent = value if 1 < value < 100 else 90
    raise UsageError(
        f"{name} is {value!r}, expected a share above 0 and below 1",
        next_step=f"For {percent:g} % write {name} {percent / 100:g}",
    )


def floor_gate(
    passes: ArrayLike,
    floor: float,
    *,
    model: str,
    scope: str = "all items",
    clusters: Clusters | None = None,
    settings: ComparisonSettings | None = None,
) -> FloorGate:
    """Hold the rate of a model against a floor.

    Args:
        passes: Shape (items,), 1 for a pass and 0 for a fail.
        floor: In (0, 1).
        model: Its name.
        scope: Which items these are.
        clusters: Shape (items,), the sources of the items; None where each stands alone.
        settings: For the level; the defaults where None.

    Returns:
        The gate. A rate of just the floor is unclear, whatever the number of items.

    Source:
        Wilson 1927, whose interval excludes the floor where the score test of the rate rejects it.
    """
    settings = settings or ComparisonSettings()
    level = 1 - settings.alpha
    sample = np.asarray(passes, dtype=np.float64)
    estimate = clustered_rate(sample, clusters, level=level)
    best = clustered_rate(np.ones_like(sample), clusters, level=level).interval
    can_pass = best is not None and best.low > floor
    outcome, reason = _judged(estimate.interval, floor), ""
    if outcome is GateOutcome.UNCLEAR:
        reason = WITHIN_NOISE_OF_FLOOR if can_pass else _why_it_cannot_pass(len(sample), best, floor)
        reason = reason if estimate.interval is not None else estimate.reason or reason
    return FloorGate(
        model=model,
        scope=scope,
        floor=floor,
        rate=estimate.value,
        interval=estimate.interval,
        n=len(sample),
        outcome=outcome,
        can_pass=can_pass,
        reason=reason,
    )


def _judged(interval: Interval | None, floor: float) -> GateOutcome:
    if interval is None:
        return GateOutcome.UNCLEAR
    if interval.low > floor:
        return GateOutcome.PASSED
    return GateOutcome.FAILED if interval.high < floor else GateOutcome.UNCLEAR


def _why_it_cannot_pass(n: int, best: Interval | None, floor: float) -> str:
    if best is None:
        return (
            "this gate cannot pass: there are no items" if not n else "this gate cannot pass: too few items"
        )
    return (
        f"this gate cannot pass: with {n:,} items, even if all were passed, the rate could be "
        f"{best.low:.3g}, below the floor of {floor:g}"
    )
