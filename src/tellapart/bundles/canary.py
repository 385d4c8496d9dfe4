"""Canaries: bundles that every model must pass, held to a floor of their pass rate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from tellapart.bundles.eval_texts import anchor_texts
from tellapart.bundles.scoreboards import load_scored
from tellapart.bundles.tier_names import OVERALL
from tellapart.bundles.tier_stats import cluster_numbers
from tellapart.core.comparison import GateOutcome
from tellapart.core.comparison_settings import ALPHA
from tellapart.core.estimate import Interval
from tellapart.core.record import Record
from tellapart.core.stats import clustered_rate
from tellapart.core.stats.samples import Clusters
from tellapart.errors import UsageError

FLOOR = 0.9
"""What canaries must pass, unless somebody says otherwise."""


class FloorGate(Record):
    """Whether a rate reaches a floor.

    Attributes:
        floor: What the rate must reach, in (0, 1).
        value: The rate; None without items.
        ci: Its interval at 95 %.
        outcome: Passed where the interval lies above the floor, failed where it lies below, else unclear.
        can_pass: Whether it would be passed if every item were.
        reason: Why it is unclear.
    """

    floor: float
    value: float | None
    ci: tuple[float, float] | None
    n: int
    outcome: GateOutcome
    can_pass: bool
    reason: str | None


class FailedCanary(Record):
    """A canary that a model fails; ``anchor`` is the beginning of its text, where the eval is at hand."""

    item: str
    anchor: str | None
    tier: str | None
    margin: float


class CanaryRecord(FloorGate):
    """What ``bundles canary --json`` prints.

    Attributes:
        fingerprint: Of the canaries.
        version: Of the canaries, if they are frozen.
        tier: Whose bundles, or ``overall``.
        cautions: What decides how much the rate is worth.
        failed: The canaries that the model fails, the most clearly failed first.
    """

    scoreboard: str
    model: str
    fingerprint: str
    version: str | None
    tier: str
    cautions: tuple[str, ...]
    failed: tuple[FailedCanary, ...]


def canary(path: Path, *, floor: float = FLOOR, tier: str = OVERALL) -> CanaryRecord:
    """Hold the pass rate of a model on canaries to a floor."""
    check_floor(floor, "--floor")
    scored = load_scored(path)
    header = scored.board.eval_header
    scores = scored.scores if tier == OVERALL else scored.scores.filter(pl.col("tier") == tier)
    gate = floor_gate(scores["score"].to_numpy(), floor, clusters=cluster_numbers(scores))
    failed = scores.filter(pl.col("score") == 0).sort("margin", "item").select("item", "tier", "margin")
    anchors = anchor_texts(scored, failed["item"].to_list())
    # A model that cut the tiers itself says nothing against its rate over all bundles together.
    concerned = tier != OVERALL or not scored.is_own_cut
    return CanaryRecord(
        **dict(gate),
        scoreboard=str(path),
        model=scored.board.model,
        fingerprint=header.fingerprint,
        version=header.version,
        tier=tier,
        cautions=scored.notes.cautions if concerned else (),
        failed=tuple(
            FailedCanary(item=item, anchor=anchors.get(item), tier=tier_of_item, margin=margin)
            for item, tier_of_item, margin in failed.iter_rows()
        ),
    )


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
    passes: ArrayLike, floor: float, clusters: Clusters | Sequence[int] | None = None
) -> FloorGate:
    """Hold a rate, shape (items,) of 1 for a pass and 0 for a fail, against a floor.

    A rate of just the floor is unclear, whatever the number of items.

    Source:
        Wilson 1927, whose interval excludes the floor where the score test of the rate rejects it.
    """
    sample = np.asarray(passes, dtype=np.float64)
    estimate = clustered_rate(sample, clusters, level=1 - ALPHA)
    best = clustered_rate(np.ones_like(sample), clusters, level=1 - ALPHA).interval
    can_pass = best is not None and best.low > floor
    outcome, reason = _judged(estimate.interval, floor), None
    if outcome is GateOutcome.UNCLEAR:
        reason = (
            "within noise, the rate may be above or below the floor"
            if can_pass
            else _why_it_cannot_pass(len(sample), best, floor)
        )
        reason = reason if estimate.interval is not None else estimate.reason or reason
    return FloorGate(
        floor=floor,
        value=estimate.value,
        ci=None if estimate.interval is None else (estimate.interval.low, estimate.interval.high),
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
