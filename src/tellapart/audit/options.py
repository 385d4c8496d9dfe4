"""The settings of an audit, which are its options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from tellapart.cli.settings import Parsed
from tellapart.core.comparison_settings import ComparisonSettings, parse_primary
from tellapart.core.seed import MOST_SEED, SEED
from tellapart.errors import UsageError, option_name, options

PRIMARY = Parsed(parse_primary, "=".join)
Sesoi = Annotated[
    float | None,
    typer.Option("--sesoi", help="Smallest difference that matters; 2 % of the range of scores by default."),
]
PlannedItems = Annotated[
    int | None, typer.Option("--plan", metavar="ITEMS", min=2, help="Also say what so many items would do.")
]
ResamplingSeed = Annotated[int, typer.Option("--seed", min=0, max=MOST_SEED, help="Seed for resampling.")]

_LOWEST_PRICE, _HIGHEST_PRICE = 1e-6, 1e6


@dataclass(frozen=True)
class AuditOptions(ComparisonSettings):
    """Settings of an audit, which are those of its comparison."""

    by: Annotated[str | None, typer.Option("--by", help="Column to break items down by; all by default.")] = (
        None
    )
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", help="Compare every other model with this one, and no other pair."),
    ] = None
    primary: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--primary",
            metavar="COLUMN=VALUE",
            help="Restrict the verdict to these items; it is the headline only if the run declared them.",
        ),
        PRIMARY,
    ] = None
    sesoi: Sesoi = None
    plan: PlannedItems = None
    seed: ResamplingSeed = SEED
    price_item: Annotated[
        float | None,
        typer.Option("--price-item", min=0, help="With labels: price of an item, for all models and judge."),
    ] = None
    price_label: Annotated[
        float | None, typer.Option("--price-label", min=0, help="With labels: price of labelling an item.")
    ] = None

    @property
    def prices(self) -> tuple[float, float] | None:
        """Of an item and of labelling one; None where they are not given."""
        prices = {"price_item": self.price_item, "price_label": self.price_label}
        given = [price for price in prices.values() if price is not None]
        for name, price in prices.items() if given else ():
            if price is None or not _LOWEST_PRICE <= price <= _HIGHEST_PRICE:
                raise UsageError(
                    f"{option_name(name)} is {'not given' if price is None else f'{price:g}'}, expected a "
                    "number from 0.000001 to 1,000,000",
                    next_step=f"Give both prices, such as {options(price_item=0.1, price_label=2)}",
                )
        return (given[0], given[1]) if given else None
