"""Gates on scoreboards: how far a candidate may fall below the baseline, and what canaries must reach."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from tellapart.bundles.scoreboards import Boards, anchor_texts, load_scored
from tellapart.bundles.tier_names import ADVERSARIAL, ALIASES, OVERALL, TIERS
from tellapart.bundles.tier_stats import cluster_numbers
from tellapart.core.comparison import ComparisonSettings, Gate, GateOutcome, check_limit, run_gates
from tellapart.core.comparison_settings import ALPHA
from tellapart.core.record import Record
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats import clustered_rate
from tellapart.errors import UsageError, near_match
from tellapart.report.numbers import percent

OPTION = "--max-drop"

FLOOR = 0.9
"""What canaries must pass, unless somebody says otherwise."""


def check_tier(text: str) -> str:
    """Read ``--tier``: a tier, its short name, or ``overall``."""
    tier = ALIASES.get(text, text)
    if tier not in (OVERALL, *TIERS):
        raise UsageError(f"there is no tier {text!r}", next_step=near_match(text, (OVERALL, *TIERS)))
    return tier


def tier_of(gate: Gate) -> str:
    """Give the tier that a gate is on, or ``overall``."""
    return gate.scope.partition("=")[2] or OVERALL


def drop_gate(boards: Boards, grid: ScoreGrid, max_drop: float, tier: str | None = None) -> tuple[Gate, str]:
    """Hold B's pass rate in a tier against A's; say why, where the tier is not 3 by default."""
    check_limit(max_drop, OPTION)
    moved = "" if tier else _why_not_tier3(boards, max_drop)
    tier = check_tier(tier or (OVERALL if moved else ADVERSARIAL))
    baseline, candidate = boards.labels
    if tier == OVERALL:
        (gate,) = run_gates(grid, max_drop, ComparisonSettings(baseline=baseline))
        return replace(gate, flips=()), moved
    stratum, reason = grid.strata.get("tier"), ""
    if boards.moved:
        reason = (
            "tiers were cut by each model's own danger; store them in the eval with 'tellapart bundles tier'"
        )
    elif stratum is None or tier not in stratum.values:
        reason = f"no bundle is in {tier}"
    if reason:
        gate = Gate(
            candidate=candidate,
            baseline=baseline,
            scope=f"tier={tier}",
            outcome=GateOutcome.UNCLEAR,
            limit=max_drop,
            can_fire=False,
            reason=f"this gate cannot fail: {reason}",
        )
        return gate, moved
    settings = ComparisonSettings(baseline=baseline, primary=("tier", tier), primary_declared=True)
    (gate,) = run_gates(grid, max_drop, settings)
    return replace(gate, flips=()), moved


def _why_not_tier3(boards: Boards, max_drop: float) -> str:
    """Say why a gate on tier 3 could not fail, whatever the candidate does; empty where it can."""
    if boards.moved:
        return "the tiers were cut by each model's own danger"
    own = [label for label, scored in boards if scored.is_own_cut]
    if own:
        return f"the tiers were cut by the margins of {' and '.join(own)} itself"
    rate = boards.boards[0].board.tiers[ADVERSARIAL].pass_rate
    if rate is None:
        return f"no bundle is in {ADVERSARIAL}"
    return f"{boards.labels[0]} passes {percent(rate)} of {ADVERSARIAL} itself" if rate <= max_drop else ""


class FailedCanary(Record):
    """A canary that a model fails; ``anchor`` is the beginning of its text, where the eval is at hand."""

    item: str
    anchor: str | None
    tier: str | None
    margin: float


class CanaryRecord(Record):
    """What ``bundles canary --json`` prints: whether the pass rate reaches a floor.

    Passed where its 95 % interval lies above the floor, failed where it lies below; ``reason`` says why it is
    unclear. The most clearly failed canaries come first.
    """

    floor: float
    value: float | None
    ci: tuple[float, float] | None
    n: int
    outcome: GateOutcome
    reason: str | None
    scoreboard: str
    model: str
    tier: str
    cautions: tuple[str, ...]
    failed: tuple[FailedCanary, ...]


def canary(path: Path, *, floor: float = FLOOR, tier: str = OVERALL) -> CanaryRecord:
    """Hold the pass rate of a model on canaries to a floor; a rate of just the floor is unclear.

    Source:
        Wilson 1927, whose interval excludes the floor where the score test of the rate rejects it.
    """
    if not 0 < floor < 1:
        share = floor if 1 < floor < 100 else 90
        raise UsageError(
            f"--floor is {floor!r}, expected a share above 0 and below 1",
            next_step=f"For {share:g} % write --floor {share / 100:g}",
        )
    scored = load_scored(path)
    scores = scored.scores if tier == OVERALL else scored.scores.filter(pl.col("tier") == tier)
    passes, clusters = scores["score"].to_numpy(), cluster_numbers(scores)
    rate = clustered_rate(passes, clusters, level=1 - ALPHA)
    best = clustered_rate(np.ones_like(passes), clusters, level=1 - ALPHA).interval
    interval, outcome, reason = rate.interval, GateOutcome.UNCLEAR, None
    if interval is not None and interval.low > floor:
        outcome = GateOutcome.PASSED
    elif interval is not None and interval.high < floor:
        outcome = GateOutcome.FAILED
    elif interval is None and rate.reason:
        reason = rate.reason
    elif best is not None and best.low > floor:
        reason = "within noise, the rate may be above or below the floor"
    else:
        lowest = f"{best.low:.3g}" if best else "anything"
        reason = (
            f"this gate cannot pass: with {len(passes):,} items, even if all were passed, the rate could be "
            f"{lowest}, below the floor of {floor:g}"
        )
    failed = scores.filter(pl.col("score") == 0).sort("margin", "item").select("item", "tier", "margin")
    anchors = anchor_texts(scored, failed["item"].to_list())
    # A model that cut the tiers itself says nothing against its rate over all bundles together.
    concerned = tier != OVERALL or not scored.is_own_cut
    return CanaryRecord(
        floor=floor,
        value=rate.value,
        ci=None if interval is None else (interval.low, interval.high),
        n=len(passes),
        outcome=outcome,
        reason=reason,
        scoreboard=str(path),
        model=scored.board.model,
        tier=tier,
        cautions=scored.notes.cautions if concerned else (),
        failed=tuple(
            FailedCanary(item=item, anchor=anchors.get(item), tier=tier_of_item, margin=margin)
            for item, tier_of_item, margin in failed.iter_rows()
        ),
    )
