"""The options of exposure: one legacy pool, or several pools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from tellapart.cli.settings import Parsed
from tellapart.errors import UsageError


@dataclass(frozen=True)
class PoolShare:
    """A pool of tier 3 beside others.

    Attributes:
        size: Its items, 1 or more.
        ratio: Share of tier-3 draws that go to it, in [0, 1].
    """

    name: str
    size: int
    ratio: float

    def __post_init__(self) -> None:
        """Raise UsageError for what no pool can be."""
        _check_least(self.size, 1, f"the size of the pool {self.name!r}")
        _check_share(self.ratio, f"the ratio of the pool {self.name!r}")


def parse_pool(text: str) -> PoolShare:
    """Read ``NAME:SIZE:RATIO``."""
    name, *figures = (part.strip() for part in text.rsplit(":", 2))
    try:
        size, ratio = figures
        return PoolShare(name, int(size), float(ratio)) if name else PoolShare(*_unnamed(text))
    except ValueError:
        return PoolShare(*_unnamed(text))


def _unnamed(text: str) -> tuple[str, int, float]:
    raise UsageError(
        f"--pool is {text!r}, expected NAME:SIZE:RATIO",
        next_step="For 454 items that get three quarters of the tier-3 draws write --pool legacy:454:0.75",
    )


def _write_pool(pool: PoolShare) -> str:
    return f"{pool.name}:{pool.size}:{pool.ratio:g}"


@dataclass(frozen=True)
class ExposureOptions:
    """What ``bundles exposure`` is asked with; a curriculum needs none of it.

    Attributes:
        pools: All pools of tier 3, in place of the last two.
    """

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
        one = (self.legacy_ratio, self.pool_size)
        if self.pools and one != (None, None):
            raise UsageError(
                "--legacy-ratio and --pool-size are of one pool and do not go with --pool",
                next_step="Give that pool as --pool legacy:SIZE:RATIO",
            )
        needed = [
            "steps",
            "batch_size",
            "tier3_probability",
            *([] if self.pools else ["legacy_ratio", "pool_size"]),
        ]
        missing = [f"--{name.replace('_', '-')}" for name in needed if getattr(self, name) is None]
        if missing:
            raise UsageError(
                f"missing: {', '.join(missing)}",
                next_step="Give all of them, or a file with the curriculum: "
                "tellapart bundles exposure curriculum.yaml",
            )
        return self.pools or (PoolShare("legacy", self.pool_size or 0, self.legacy_ratio or 0.0),)


def _check_least(value: int, least: int, name: str) -> None:
    if value < least:
        raise UsageError(f"{name} is {value!r}, expected {least} or more")


def _check_share(share: float, name: str) -> None:
    if not 0 <= share <= 1:
        hint = f"Write {share:g} % as {share / 100:g}" if 1 < share <= 100 else None
        raise UsageError(f"{name} is {share!r}, expected a share in [0, 1]", next_step=hint)
