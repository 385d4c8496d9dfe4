"""The options of exposure: one legacy pool, or several pools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import typer

from tellapart.cli.settings import Parsed
from tellapart.errors import UsageError


class PoolShare(NamedTuple):
    """A pool of tier 3 beside others: its items, and the share of tier-3 draws that go to it."""

    name: str
    size: int
    ratio: float


def parse_pool(text: str) -> PoolShare:
    """Read ``NAME:SIZE:RATIO``."""
    name, *figures = (part.strip() for part in text.rsplit(":", 2))
    try:
        size, ratio = figures
        pool = PoolShare(name, int(size), float(ratio))
    except ValueError:
        pool = PoolShare("", 0, 0.0)
    if not pool.name:
        raise UsageError(
            f"--pool is {text!r}, expected NAME:SIZE:RATIO",
            next_step="For 454 items that get three quarters of the tier-3 draws write --pool "
            "legacy:454:0.75",
        )
    return pool


def _write_pool(pool: PoolShare) -> str:
    return f"{pool.name}:{pool.size}:{pool.ratio:g}"


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
    pools: Annotated[
        tuple[PoolShare, ...],
        typer.Option(
            "--pool",
            metavar="NAME:SIZE:RATIO",
            help="A pool of tier 3 and its share of the draws; repeat for several, in place of the last two.",
        ),
        Parsed(parse_pool, _write_pool, is_each=True),
    ] = ()

    def all_pools(self) -> tuple[PoolShare, ...]:
        """Give the pools, or the one of the last two options; refuse what is incomplete."""
        if self.pools and (self.legacy_ratio, self.pool_size) != (None, None):
            raise UsageError(
                "--legacy-ratio and --pool-size are of one pool and do not go with --pool",
                next_step="Give that pool as --pool legacy:SIZE:RATIO",
            )
        needed = ["steps", "batch_size", "tier3_probability"]
        needed += [] if self.pools else ["legacy_ratio", "pool_size"]
        missing = [f"--{name.replace('_', '-')}" for name in needed if getattr(self, name) is None]
        if missing:
            raise UsageError(
                f"missing: {', '.join(missing)}",
                next_step="Give all of them, or a file with the curriculum: "
                "tellapart bundles exposure curriculum.yaml",
            )
        return self.pools or (PoolShare("legacy", self.pool_size or 0, self.legacy_ratio or 0.0),)
