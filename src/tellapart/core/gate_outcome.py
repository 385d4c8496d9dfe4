"""How a gate ends, and what an unclear one counts as."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class GateOutcome(StrEnum):
    """How a gate ends."""

    PASSED = "passed"
    FAILED = "failed"
    UNCLEAR = "unclear"
    UNCHANGED = "unchanged"

    @property
    def is_passed(self) -> bool:
        """Whether nothing speaks against the candidate."""
        return self in (GateOutcome.PASSED, GateOutcome.UNCHANGED)

    @property
    def exit_code(self) -> int:
        """What a command that runs the gate ends with: 0, 3 or 4."""
        return {GateOutcome.FAILED: 3, GateOutcome.UNCLEAR: 4}.get(self, 0)


SEVERITY = (GateOutcome.FAILED, GateOutcome.UNCLEAR, GateOutcome.PASSED, GateOutcome.UNCHANGED)
"""Outcomes, the one that decides over the others first."""


class OnUnclear(StrEnum):
    """What an unclear gate counts as."""

    WARN = "warn"
    FAIL = "fail"
    PASS = "pass"

    @property
    def outcome(self) -> GateOutcome:
        """The outcome that stands in for an unclear one."""
        return {
            OnUnclear.WARN: GateOutcome.UNCLEAR,
            OnUnclear.FAIL: GateOutcome.FAILED,
            OnUnclear.PASS: GateOutcome.PASSED,
        }[self]


def worst_outcome(
    outcomes: Iterable[GateOutcome], on_unclear: OnUnclear = OnUnclear.WARN
) -> GateOutcome | None:
    """Give the outcome of several gates together."""
    counted = [on_unclear.outcome if outcome is GateOutcome.UNCLEAR else outcome for outcome in outcomes]
    return min(counted, key=SEVERITY.index, default=None)
