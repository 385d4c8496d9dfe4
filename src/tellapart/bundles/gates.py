"""Gates on scoreboards: how far a candidate may fall below the baseline, and in which tier."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
import polars as pl

from tellapart.bundles.figures import TierStats
from tellapart.bundles.results import FigureGateRecord
from tellapart.bundles.scoreboards import Boards
from tellapart.bundles.tier_names import ADVERSARIAL, ALIASES, OVERALL, TIERS
from tellapart.bundles.tier_stats import RESCORE, why_margins_differ
from tellapart.core.comparison import (
    ComparisonSettings,
    Gate,
    GateOutcome,
    PairedFigures,
    check_limit,
    fewest_losses,
    quantile_gate,
    run_gates,
)
from tellapart.core.score_grid import ScoreGrid
from tellapart.errors import UsageError, near_match

_OWN_TIERS = (
    "this gate cannot fail: tiers were cut by each model's own danger; store them in the eval with "
    "'tellapart bundles tier'"
)


@dataclass(frozen=True)
class DropLimits:
    """What a candidate is held to.

    Attributes:
        max_drop: How far the pass rate may fall, a share in [0, 1); None asks for no such gate.
        max_q10_drop: How far the 10th percentile of the margin may fall, in the unit of the similarity.
        tier: One of ``TIERS``, or ``overall``.
    """

    max_drop: float | None = None
    max_q10_drop: float | None = None
    tier: str = ADVERSARIAL

    def __post_init__(self) -> None:
        """Check the values that a user gives."""
        if self.max_drop is not None:
            check_limit(self.max_drop, "--max-drop")
        if self.max_q10_drop is not None:
            check_limit(self.max_q10_drop, "--max-q10-drop", inf)
        if self.tier not in (OVERALL, *TIERS):
            raise UsageError(
                f"there is no tier {self.tier!r}", next_step=near_match(self.tier, (OVERALL, *TIERS))
            )


@dataclass(frozen=True)
class FigureGate:
    """A gate on one figure.

    Attributes:
        figure: ``pass_rate`` or ``q10_margin``.
        option: The option that requested it.
        tier: Whose bundles it is about, or ``overall``.
        unit: Of the figure; None for a rate.
        gate: How it ends.
    """

    figure: str
    option: str
    tier: str
    unit: str | None
    gate: Gate

    @property
    def fewest_losses(self) -> int | None:
        """Bundles that must be lost, and none gained, for a pass-rate gate to fail; None if none would do."""
        return fewest_losses(self.gate.n, self.gate.max_drop) if self.figure == "pass_rate" else None

    def record(self) -> FigureGateRecord:
        """Give the gate as JSON holds it: the drop is baseline - candidate."""
        gate = self.gate
        return FigureGateRecord(
            name=f"{self.tier}.{self.figure}.drop",
            option=self.option,
            unit=self.unit,
            limit=gate.max_drop,
            value=gate.drop,
            ci=gate.drop_interval,
            outcome=gate.outcome.value,
            passed=gate.outcome is GateOutcome.PASSED,
            n=gate.n,
            can_fire=gate.can_fire,
            fewest_losses=self.fewest_losses,
            items_to_settle=gate.items_to_settle,
            reason=gate.reason or None,
        )


def margin_spread(before: TierStats, now: TierStats) -> str:
    """Say how wide margins lie beside a baseline's, and what became of the pass rate.

    A training that draws vectors apart widens all margins, and so lowers their 10th percentile while more
    bundles pass.
    """
    ends = [(stats.q10_margin, stats.q90_margin, stats.pass_rate) for stats in (before, now)]
    (low, high, rate), (new_low, new_high, new_rate) = ends
    if low is None or high is None or rate is None or new_low is None or new_high is None or new_rate is None:
        return ""
    if high <= low:
        return ""
    change = 100 * (new_rate - rate)
    moved = f"{'up' if change > 0 else 'down'} by {abs(change):.1f} points" if change else "the same"
    return (
        f"margins from the 10th to the 90th percentile are {(new_high - new_low) / (high - low):.3g} times "
        f"as wide as the baseline's, and the pass rate is {moved}"
    )


def parse_tier(text: str) -> str:
    """Read ``--tier``: a tier, its short name, or ``overall``; `DropLimits` checks what is neither."""
    return ALIASES.get(text, text)


def check_units(boards: Boards, limits: DropLimits) -> None:
    """Refuse a gate on margins of different units."""
    a, b = (one.board for one in boards.boards)
    why = why_margins_differ(a, b) if limits.max_q10_drop is not None else None
    rates = "gate on the pass rate, which compares for all models, with --max-drop"
    if why:
        raise UsageError(
            f"--max-q10-drop cannot be used: {why}",
            next_step=f"{RESCORE}, or {rates}" if "not recorded" in why else rates.capitalize(),
        )


def run_board_gates(boards: Boards, grid: ScoreGrid, limits: DropLimits) -> tuple[FigureGate, ...]:
    """Hold a candidate B against a baseline A."""
    gates = []
    if limits.max_drop is not None:
        gate = _pass_gate(boards, grid, limits.tier, limits.max_drop)
        gates.append(FigureGate("pass_rate", "--max-drop", limits.tier, None, gate))
    if limits.max_q10_drop is not None:
        unit = boards.boards[0].board.margin_unit
        gate = _margin_gate(boards, limits.tier, limits.max_q10_drop)
        gates.append(FigureGate("q10_margin", "--max-q10-drop", limits.tier, unit, gate))
    return tuple(gates)


def _pass_gate(boards: Boards, grid: ScoreGrid, tier: str, max_drop: float) -> Gate:
    settings = ComparisonSettings(baseline=boards.labels[0])
    if tier == OVERALL:
        return run_gates(grid, max_drop, settings)[0]
    if boards.moved:
        return _unclear(boards, tier, max_drop, _OWN_TIERS)
    stratum = grid.strata.get("tier")
    if stratum is None or tier not in stratum.values:
        return _unclear(boards, tier, max_drop, f"this gate cannot fail: no bundle is in {tier}")
    settings = ComparisonSettings(baseline=boards.labels[0], primary=("tier", tier), primary_declared=True)
    return run_gates(grid, max_drop, settings)[0]


def _margin_gate(boards: Boards, tier: str, max_drop: float) -> Gate:
    if tier != OVERALL and boards.moved:
        return _unclear(boards, tier, max_drop, _OWN_TIERS)
    a, b = (one.scores for one in boards.boards)
    shared = a.join(b.select("item", "margin"), on="item", suffix="_b").sort("item")
    inside = shared if tier == OVERALL else shared.filter(pl.col("tier") == tier)
    if not inside.height:
        return _unclear(boards, tier, max_drop, f"this gate cannot fail: no bundle is in {tier}")
    clusters = inside["cluster"].fill_null(inside["item"]).rank("dense").cast(pl.Int64).to_numpy()
    figures = PairedFigures(
        candidate=boards.labels[1],
        baseline=boards.labels[0],
        new=inside["margin_b"].to_numpy(),
        old=inside["margin"].to_numpy(),
        clusters=np.asarray(clusters),
        scope=scope_of(tier),
    )
    return quantile_gate(figures, 0.1, max_drop, ComparisonSettings())


def _unclear(boards: Boards, tier: str, max_drop: float, reason: str) -> Gate:
    """A gate without bundles to decide on."""
    return Gate(
        candidate=boards.labels[1],
        baseline=boards.labels[0],
        scope=scope_of(tier),
        max_drop=max_drop,
        change=None,
        interval=None,
        n=0,
        outcome=GateOutcome.UNCLEAR,
        can_fire=False,
        items_to_settle=None,
        reason=reason,
        flips=(),
    )


def scope_of(tier: str) -> str:
    """Name the items of a tier as gates do."""
    return "all items" if tier == OVERALL else f"tier={tier}"
