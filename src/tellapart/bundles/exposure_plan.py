"""The options of exposure: a training with one legacy pool; a file has several pools and phases."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

import typer

from tellapart.errors import UsageError


@dataclass(frozen=True)
class ExposureOptions:
    """What ``bundles exposure`` is asked with; a curriculum needs none of it."""

    steps: Annotated[int | None, typer.Option("--steps", help="Training steps.")] = None
    batch_size: Annotated[int | None, typer.Option("--batch-size", help="Items in a batch.")] = None
    tier3_probability: Annotated[
        float | None,
        typer.Option("--tier3-probability", help="Chance that a place in a batch goes to tier 3."),
    ] = None
    legacy_ratio: Annotated[
        float | None, typer.Option("--legacy-ratio", help="Share of tier-3 draws that go to the legacy pool.")
    ] = None
    pool_size: Annotated[int | None, typer.Option("--pool-size", help="Items in the legacy pool.")] = None

    def check_complete(self) -> None:
        """Refuse what is incomplete."""
        missing = [
            f"--{one.name.replace('_', '-')}" for one in fields(self) if getattr(self, one.name) is None
        ]
        if missing:
            raise UsageError(
                f"missing: {', '.join(missing)}",
                next_step="Give all of them, or a file with the curriculum: "
                "tellapart bundles exposure curriculum.yaml",
            )
