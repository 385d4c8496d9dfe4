"""The settings of an audit."""

from __future__ import annotations

from dataclasses import dataclass

from tellapart.core.comparison import ComparisonSettings


@dataclass(frozen=True)
class AuditOptions(ComparisonSettings):
    """Settings of an audit: those of its comparison, and of the bootstrap of the means.

    Attributes:
        resamples: Of the bootstrap.
    """

    resamples: int = 10_000
