"""What a check finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""From the worst."""


@dataclass(frozen=True)
class Finding:
    """One thing to know before trusting an experiment.

    Attributes:
        severity: An error makes the figures mean something else than they say.
        check: Name of the check.
        case: Name of the case; None of what is not about one.
        step: Id of the step; None of what is not about one.
        message: What, and what to do about it.
    """

    severity: Severity
    check: str
    case: str | None
    step: str | None
    message: str
