"""Gates on scoreboards: how far a candidate may fall below the baseline, and in which tier."""

from __future__ import annotations

from dataclasses import dataclass

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
from tellapart.core.record import Record
from tellapart.core.score_grid import ScoreGrid
from tellapart.errors import UsageError, near_match
from tellapart.report.numbers import percent

OPTION = "--max-drop"

_EACH_ITS_OWN = (
    "this gate cannot fail: tiers were cut by each model's own danger; store them in the eval with "
    "'tellapart bundles tier'"
)


class TierGateRecord(Record):
    """A gate and how it ended.

    Attributes:
        value: How far the figure dropped: baseline - candidate.
        can_fire: Whether the worst candidate there could be would fail.
        fewest_losses: Bundles that must be lost, and none gained, for a pass-rate gate to fail.
        items_needed: Bundles that find a drop of the limit; None where there are as many.
        reason: Why it is unclear.
    """

    name: str
    option: str
    limit: float
    value: float | None
    ci: tuple[float, float] | None
    outcome: GateOutcome
    n: int
    can_fire: bool
    fewest_losses: int | None
    items_needed: int | None
    reason: str | None


@dataclass(frozen=True)
class DropLimits:
    """What a candidate is held to.

    Attributes:
        max_drop: How far the pass rate may fall, a share in [0, 1); None asks for no such gate.
        tier: One of ``TIERS``, or ``overall``; None for tier 3, or for all bundles where a gate on tier 3
            could not fail.
    """

    max_drop: float | None = None
    tier: str | None = None

    def __post_init__(self) -> None:
        """Check the values that a user gives."""
        if self.max_drop is not None:
            check_limit(self.max_drop, OPTION)
        if self.tier is not None:
            check_tier(self.tier)


@dataclass(frozen=True)
class TierGate:
    """A gate on the pass rate of a tier, or ``overall``; ``why`` says what moved it to all bundles."""

    tier: str
    gate: Gate
    why: str = ""

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


def check_tier(text: str) -> str:
    """Read ``--tier``: a tier, its short name, or ``overall``."""
    tier = ALIASES.get(text, text)
    if tier not in (OVERALL, *TIERS):
        raise UsageError(f"there is no tier {text!r}", next_step=near_match(text, (OVERALL, *TIERS)))
    return tier


def run_board_gates(boards: Boards, grid: ScoreGrid, limits: DropLimits) -> tuple[TierGate, ...]:
    """Hold a candidate B against a baseline A."""
    if limits.max_drop is None:
        return ()
    why = "" if limits.tier else _why_not_tier3(boards, limits.max_drop)
    tier = check_tier(limits.tier or (OVERALL if why else ADVERSARIAL))
    return (TierGate(tier, _pass_gate(boards, grid, tier, limits.max_drop), why),)


def _why_not_tier3(boards: Boards, max_drop: float) -> str:
    """Say why a gate on tier 3 could not fail, whatever the candidate does; empty where it can.

    A model whose own margins cut the tiers passes next to nothing there, as its cut has it.
    """
    if boards.moved:
        return "the tiers were cut by each model's own danger"
    own = [label for label, scored in zip(boards.labels, boards.boards, strict=True) if scored.is_own_cut]
    if own:
        return f"the tiers were cut by the margins of {' and '.join(own)} itself"
    rate = boards.boards[0].board.tiers[ADVERSARIAL].pass_rate
    if rate is None:
        return f"no bundle is in {ADVERSARIAL}"
    return f"{boards.labels[0]} passes {percent(rate)} of {ADVERSARIAL} itself" if rate <= max_drop else ""


def _pass_gate(boards: Boards, grid: ScoreGrid, tier: str, max_drop: float) -> Gate:
    settings = ComparisonSettings(baseline=boards.labels[0])
    if tier == OVERALL:
        return run_gates(grid, max_drop, settings)[0]
    if boards.moved:
        return _unclear(boards, tier, max_drop, _EACH_ITS_OWN)
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
