"""How a gate ends, and what the command that runs it ends with."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class OnUnclear(StrEnum):
    """What a command does with an unclear gate: end with 4, go on with a warning, or take it for passed."""

    FAIL = "fail"
    WARN = "warn"
    PASS = "pass"


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

    def exit_code(self, on_unclear: OnUnclear = OnUnclear.FAIL) -> int:
        """Give what a command that runs the gate ends with: 0, 3 or 4."""
        unclear = 4 if on_unclear is OnUnclear.FAIL else 0
        return {GateOutcome.FAILED: 3, GateOutcome.UNCLEAR: unclear}.get(self, 0)


SEVERITY = (GateOutcome.FAILED, GateOutcome.UNCLEAR, GateOutcome.PASSED, GateOutcome.UNCHANGED)
"""Outcomes, the one that decides over the others first."""


def worst_outcome(outcomes: Iterable[GateOutcome]) -> GateOutcome | None:
    """Give the outcome of several gates together."""
    return min(outcomes, key=SEVERITY.index, default=None)
