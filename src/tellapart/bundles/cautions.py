"""What to beware of before the figures of an eval are believed."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from tellapart.bundles.tier_check import tier_caution
from tellapart.bundles.tiers import TierAssignment

MANY = 0.01
"""Ties are worth a warning above this share of the bundles."""

FREEZE_TIERS = "to compare models by tier, write tiers into the eval first: tellapart bundles tier"


def score_cautions(scores: pl.DataFrame, assigned: TierAssignment | None) -> tuple[str, ...]:
    """Everything to beware of in the scores of one model.

    Args:
        scores: Rows of ``SCORE_SCHEMA`` with tiers, at least one.
        assigned: The tiers, where they were cut by this model's danger; None where they came with the eval.

    Returns:
        Sentences without a full stop; none where all is well.
    """
    if assigned is None:
        tiers = [_untiered(scores), tier_caution(scores)]
    else:
        own = f"this eval has no tiers, so they were cut by this model's own danger; {FREEZE_TIERS}"
        tiers = [own, *tier_cautions(assigned)]
    return tuple(caution for caution in (_ties(scores), *tiers) if caution)


def tier_cautions(assigned: TierAssignment) -> tuple[str, ...]:
    """Say where ties at a cut moved many bundles, and which tiers are empty."""
    empty = [tier for tier, count in assigned.counts.items() if not count]
    moved = tuple(
        f"ties at the cut between {easier} and {harder} (danger {cutoff:.6g}) moved {_percent(share)} of the "
        "bundles below it"
        for easier, harder, cutoff, share in zip(
            ("tier 1", "tier 2"), ("tier 2", "tier 3"), assigned.cutoffs or (), assigned.tied, strict=False
        )
        if share > MANY
    )
    if not empty:
        return moved
    return (
        *moved,
        f"no bundle is in {', '.join(empty)}, so no figure of it is known and no gate on it passes",
    )


def dropped(counts: Mapping[str, int], rows: int) -> str:
    """Say how many bad rows were left out, by cause; a row may have several."""
    causes = ", ".join(f"{count} {cause}" for cause, count in sorted(counts.items()))
    return f"left out {rows} bad row(s): {causes}"


def _ties(scores: pl.DataFrame) -> str | None:
    tied = scores.filter(pl.col("ties") > 0).height
    if tied <= MANY * scores.height:
        return None
    return (
        f"in {tied} of {scores.height} bundles ({_percent(tied / scores.height)}) the positive ties with a "
        "negative: these fail and still rank 1, so look at expected_rank and mrr, which share the places out"
    )


def _untiered(scores: pl.DataFrame) -> str | None:
    missing = scores["tier"].null_count()
    if not missing:
        return None
    return f"{missing} of {scores.height} bundles have no tier: they count in 'overall' alone; {FREEZE_TIERS}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
