"""What decides how much a comparison of scoreboards is worth; said wherever its verdict is."""

from __future__ import annotations

from itertools import pairwise

import polars as pl

from tellapart.bundles.tier_check import tier_caution
from tellapart.bundles.tiers import TIERS

CUT_FROM = 10
"""Fewer bundles than this can be in the order of their margins by chance."""


def model_cautions(model: str, scores: pl.DataFrame) -> tuple[str, ...]:
    """Say what decides how much a verdict on the scores of one model is worth.

    Args:
        model: Its name.
        scores: Rows of ``SCORE_SCHEMA`` with tiers.

    Returns:
        Sentences without a full stop; none where all is well.
    """
    if is_own_cut(scores):
        tiers: str | None = (
            f"the tiers were cut by the margins of {model} itself, so its pass rates by tier follow from the "
            "cut and say nothing about it"
        )
    else:
        tiers = tier_caution(scores) if scores.height else None
    return () if tiers is None else (tiers,)


def is_own_cut(scores: pl.DataFrame) -> bool:
    """Whether the tiers lie one below the other in this model's own margins.

    Then they were cut by its own danger, and its pass rate in a tier follows from the cut.
    """
    margins = [scores.filter(pl.col("tier") == tier)["margin"] for tier in TIERS]
    ends = [(one.min(), one.max()) for one in margins if len(one)]
    if len(ends) < 2 or scores.height < CUT_FROM:
        return False
    return all(easy[0] >= hard[1] for easy, hard in pairwise(ends))  # type: ignore[operator]
