"""What an audit is asked."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from tellapart.errors import UsageError


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

    def __post_init__(self) -> None:
        """Check the values that a user gives.

        Raises:
            UsageError: ``sesoi`` is not a positive number.
        """
        if not (isfinite(self.sesoi) and self.sesoi > 0):
            raise UsageError(
                f"the smallest difference that matters is {self.sesoi:g}, expected a number above 0",
                next_step="Give it in the units of the scores, such as --sesoi 0.02",
            )
