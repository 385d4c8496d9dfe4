"""What splitting a pool gave, in a terminal."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.pool import PoolSplit
from tellapart.report import numbers as show
from tellapart.report.tables import table
from tellapart.report.terminal import fitted_table


def split(result: PoolSplit) -> list[RenderableType]:
    """Show the parts, and the largest group, which decides how near a split comes to its share."""
    parts = (result.train, result.holdout)
    total = sum(part.bundles for part in parts)
    tiers = [tier for tier in result.train.tier_distribution if any(p.tier_distribution[tier] for p in parts)]
    rows = [
        [
            part.path,
            show.count(part.bundles),
            show.rate(part.bundles / total),
            show.count(part.anchors),
            show.count(part.groups),
            *(show.count(part.tier_distribution[tier]) for tier in tiers),
        ]
        for part in parts
    ]
    headings = ["Part", "Bundles", "Share, %", "Anchors", "Groups", *tiers]
    note = (
        "No anchor is in both parts, or nearly the same. The largest group has "
        f"{show.plural(result.largest_group, 'bundle')}."
    )
    return [fitted_table(table("split", "Split", headings, rows, note=note)), *_dropped(result.dropped)]


def _dropped(dropped: dict[str, int]) -> list[RenderableType]:
    return [Text(f"left out: {show.count(n)} {cause}") for cause, n in dropped.items()]
