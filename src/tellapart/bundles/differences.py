"""Two scoreboards figure by figure: what each says, and the plain difference."""

from __future__ import annotations

from typing import Any

import polars as pl

from tellapart.bundles.boards import Boards
from tellapart.bundles.rounding import rounded
from tellapart.bundles.tier_stats import TierStats, stats_by_tier
from tellapart.bundles.tiers import TIERS
from tellapart.bundles.units import MARGINS, why_margins_differ
from tellapart.core.comparison import Comparison, PairComparison

Figures = dict[str, Any]

SCOPES = ("overall", *TIERS)
"""What has figures: all bundles, and each tier."""

PLAIN = "only pass rates are compared with a test; this is a plain difference"


def figure_differences(boards: Boards, comparison: Comparison) -> dict[str, Figures]:
    """Give every figure of a baseline A and a candidate B, and B minus A.

    Args:
        boards: Two; in a tier are the bundles that A has there, and of those that A lacks, the ones that B
            has there.
        comparison: Of these boards.

    Returns:
        By ``SCOPES`` and figure of ``TierStats`` an object of ``a``, ``b``, ``delta`` and ``reason``, which
        says what is missing. Pass rates have what the comparison says too: over the bundles that both have
        ``delta_shared`` (B minus A), its interval ``ci``, ``p`` and ``p_holm``.
    """
    a, b = boards.boards
    before, after = dict(a.board.tiers), dict(b.board.tiers)
    if boards.moved:
        after = stats_by_tier(_in_tiers_of(a.scores, b.scores))
    units = why_margins_differ(a.board, b.board)
    names = [name for name in TierStats.model_fields if name != "ci95"]
    figures = {
        scope: {name: _figure(before[scope], after[scope], name, units) for name in names} for scope in SCOPES
    }
    for scope in SCOPES:
        figures[scope]["pass_rate"] |= _tested(boards, comparison, scope)
    return figures


def _in_tiers_of(a: pl.DataFrame, b: pl.DataFrame) -> pl.DataFrame:
    tiers_of_a = a.select("item", pl.col("tier").alias("tier_of_a"), pl.lit(True).alias("in_a"))
    tier = pl.when(pl.col("in_a").is_null()).then("tier").otherwise("tier_of_a").alias("tier")
    return b.join(tiers_of_a, on="item", how="left").with_columns(tier).drop("tier_of_a", "in_a")


def _figure(before: TierStats, after: TierStats, name: str, units: str | None) -> Figures:
    a, b = getattr(before, name), getattr(after, name)
    empty = [side for side, stats in (("A", before), ("B", after)) if not stats.n]
    apart = units if name in MARGINS else None
    reason = f"no bundles in {' and '.join(empty)}" if empty else apart
    delta = None if apart else _difference(a, b)
    return {"a": a, "b": b, "delta": delta, "reason": reason}


def _difference(a: float | None, b: float | None) -> float | None:
    """Give b - a; of counts a whole number."""
    if a is None or b is None:
        return None
    return b - a if isinstance(a, int) and isinstance(b, int) else rounded(b - a)


def _tested(boards: Boards, comparison: Comparison, scope: str) -> Figures:
    """What the comparison says of the pass rates in a scope, as B minus A."""
    pair = _pair(comparison, scope)
    if pair is None:
        return {"delta_shared": None, "ci": None, "p": None, "p_holm": None, "test": None}
    change, interval = pair.of(boards.labels[1])
    return {
        "delta_shared": change,
        "ci": None if interval is None else [interval.low, interval.high],
        "p": pair.p,
        "p_holm": pair.p_adjusted,
        "test": pair.test,
        **({"reason": pair.reason} if pair.reason else {}),
    }


def _pair(comparison: Comparison, scope: str) -> PairComparison | None:
    if scope == "overall":
        return comparison.primary.pairs[0]
    pairs = comparison.secondary.pairs if comparison.secondary else ()
    return next((pair for pair in pairs if pair.stratum == scope), None)
