"""How bad it is what a lint finds."""

from __future__ import annotations

from typing import Literal

Severity = Literal["error", "warning", "info"]
"""An error means that the figures do not measure what they claim."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""From the worst."""
