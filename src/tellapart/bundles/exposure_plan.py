"""How a training run draws its items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from tellapart.errors import UsageError


@dataclass(frozen=True)
class ExposurePlan:
    """How a training run draws its items.

    Attributes:
        steps: Training steps, 0 or more.
        batch_size: Items in a batch, 1 or more.
        tier3_probability: Chance that a place in a batch goes to tier 3, in [0, 1].
        legacy_ratio: Share of tier-3 draws that go to the legacy pool, in [0, 1].
        pool_size: Items in the legacy pool, 1 or more.
    """

    steps: Annotated[int, typer.Option("--steps", help="Training steps.")]
    batch_size: Annotated[int, typer.Option("--batch-size", help="Items in a batch.")]
    tier3_probability: Annotated[
        float, typer.Option("--tier3-probability", help="Chance that a place in a batch goes to tier 3.")
    ]
    legacy_ratio: Annotated[
        float, typer.Option("--legacy-ratio", help="Share of tier-3 draws that go to the legacy pool.")
    ]
    pool_size: Annotated[int, typer.Option("--pool-size", help="Items in the legacy pool.")]

    def __post_init__(self) -> None:
        """Refuse what no training run can be.

        Raises:
            UsageError: Names the value and its range.
        """
        for name, least in (("steps", 0), ("batch_size", 1), ("pool_size", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} is {getattr(self, name)!r}, expected {least} or more")
        for name in ("tier3_probability", "legacy_ratio"):
            share = getattr(self, name)
            if not 0 <= share <= 1:
                hint = f"Write {share:g} % as {share / 100:g}" if 1 < share <= 100 else None
                raise UsageError(f"{name} is {share!r}, expected a share in [0, 1]", next_step=hint)
