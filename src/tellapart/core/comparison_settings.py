"""How models are compared: the level, the power, the smallest difference that matters, the families."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Self

from tellapart.core.seed import SEED
from tellapart.errors import UsageError, option, option_name

ALPHA = 0.05
"""The chance of any false claim in a family of comparisons."""

POWER = 0.8
"""The chance that a number of items is planned for."""

SESOI = 0.02
"""The smallest difference that matters, as a share of the range of scores."""


@dataclass(frozen=True)
class ComparisonSettings:
    """What a comparison is asked.

    Attributes:
        by: The column to break items down by; None for the first suitable one, in an audit for all.
        baseline: The model to compare every other one with, and no other pair; None for every pair.
        primary: Column and value of the items that the verdict is about, the primary family; None for all.
        primary_declared: Whether ``primary`` was fixed before the scores were known, in the frozen benchmark
            or in the run's settings. A primary that was chosen later makes no headline.
        sesoi: Smallest difference that matters, in score units, > 0; less is equivalent. None for 2 % of the
            range that scores may have.
        alpha: Chance of any false claim over the pairs of a family, in (0, 1).
        power: Chance that numbers of items are planned for, in [alpha, 1).
        plan: A further number of items to plan with, beside multiples of those there are.
        seed: Of everything that is drawn.
    """

    by: str | None = None
    baseline: str | None = None
    primary: tuple[str, str] | None = None
    primary_declared: bool = False
    sesoi: float | None = None
    alpha: float = ALPHA
    power: float = POWER
    plan: int | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        """Check the values that a user gives."""
        if self.sesoi is not None and not (isfinite(self.sesoi) and self.sesoi > 0):
            raise UsageError(
                f"the smallest difference that matters is {self.sesoi:g}, expected a number above 0",
                next_step=f"Give it in the units of the scores, such as {option('sesoi', 0.02)}",
            )

        if not 0 < self.alpha <= self.power < 1:
            raise UsageError(
                f"alpha is {self.alpha:g} and power {self.power:g}, expected 0 < alpha <= power < 1"
            )

    @property
    def least(self) -> float:
        """The smallest difference that matters, of scores from 0 to 1 where nothing else is known."""
        return SESOI if self.sesoi is None else self.sesoi

    def on(self, low: float, high: float) -> Self:
        """The same of scores between two ends."""
        is_open = self.sesoi is None and isfinite(high - low) and high > low
        return replace(self, sesoi=SESOI * (high - low)) if is_open else self


def parse_primary(text: str) -> tuple[str, str]:
    """Read COLUMN=VALUE."""
    column, equals, value = text.partition("=")
    if not (column and equals and value):
        raise UsageError(
            f"{option_name('primary')} is {text!r}, expected COLUMN=VALUE",
            next_step="Write it like difficulty=adversarial",
        )
    return column, value
