"""What an audit is asked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AuditOptions:
    """Settings of an audit.

    Attributes:
        by: The stratum to look into; None for every column that sorts the items.
        sesoi: Smallest difference that matters, in score units, > 0; less is equivalent.
        alpha: Chance of any false claim over all pairs, in (0, 1).
        power: Chance that advice on items and answers is planned for, in [alpha, 1).
        resamples: Of the bootstrap.
        seed: Of everything that is drawn.
    """

    by: str | None = None
    sesoi: float = 0.02
    alpha: float = 0.05
    power: float = 0.8
    resamples: int = 10_000
    seed: int = 42
