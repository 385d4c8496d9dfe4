"""Gates on scoreboards: how far a candidate may fall below the baseline, and in which tier."""

from __future__ import annotations

from dataclasses import dataclass

from tellapart.bundles.results import TierGateRecord
from tellapart.bundles.scoreboards import Boards
from tellapart.bundles.tier_names import ADVERSARIAL, ALIASES, OVERALL, TIERS
from tellapart.core.comparison import (
    ComparisonSettings,
    Gate,
    GateOutcome,
    check_limit,
    fewest_losses,
    run_gates,
)
from tellapart.core.score_grid import ScoreGrid
from tellapart.errors import UsageError, near_match

OPTION = "--max-drop"

_OWN_TIERS = (
    "this gate cannot fail: tiers were cut by each model's own danger; store them in the eval with "
    "'tellapart bundles tier'"
)


@dataclass(frozen=True)
class DropLimits:
    """What a candidate is held to.

    Attributes:
        max_drop: How far the pass rate may fall, a share in [0, 1); None asks for no such gate.
        tier: One of ``TIERS``, or ``overall``.
    """

    max_drop: float | None = None
    tier: str = ADVERSARIAL

    def __post_init__(self) -> None:
        """Check the values that a user gives."""
        if self.max_drop is not None:
            check_limit(self.max_drop, OPTION)
        if self.tier not in (OVERALL, *TIERS):
            raise UsageError(
                f"there is no tier {self.tier!r}", next_step=near_match(self.tier, (OVERALL, *TIERS))
            )


@dataclass(frozen=True)
class TierGate:
    """A gate on the pass rate of the bundles of a tier, or ``overall``."""

    tier: str
    gate: Gate

    @property
    def fewest_losses(self) -> int | None:
        """Bundles that must be lost, and none gained, for the gate to fail; None if none would do."""
        return fewest_losses(self.gate.n, self.gate.limit or 0.0)

    def record(self) -> TierGateRecord:
        """Give the gate as JSON holds it."""
        gate = self.gate
        return TierGateRecord(
            name=f"{self.tier}.pass_rate.drop",
            option=OPTION,
            limit=gate.limit or 0.0,
            value=gate.drop,
            ci=gate.interval,
            outcome=gate.outcome or GateOutcome.UNCLEAR,
            n=gate.n,
            can_fire=bool(gate.can_fire),
            fewest_losses=self.fewest_losses,
            items_needed=gate.items_needed,
            reason=gate.reason or None,
        )


def parse_tier(text: str) -> str:
    """Read ``--tier``: a tier, its short name, or ``overall``; `DropLimits` checks what is neither."""
    return ALIASES.get(text, text)


def run_board_gates(boards: Boards, grid: ScoreGrid, limits: DropLimits) -> tuple[TierGate, ...]:
    """Hold a candidate B against a baseline A."""
    if limits.max_drop is None:
        return ()
    return (TierGate(limits.tier, _pass_gate(boards, grid, limits.tier, limits.max_drop)),)


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


def _unclear(boards: Boards, tier: str, max_drop: float, reason: str) -> Gate:
    """A gate without bundles to decide on."""
    return Gate(
        candidate=boards.labels[1],
        baseline=boards.labels[0],
        scope=scope_of(tier),
        outcome=GateOutcome.UNCLEAR,
        limit=max_drop,
        can_fire=False,
        reason=reason,
    )


def scope_of(tier: str) -> str:
    """Name the items of a tier as gates do."""
    return "all items" if tier == OVERALL else f"tier={tier}"
