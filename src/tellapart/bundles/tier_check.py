"""Tier check: whether the tiers that came with an eval order difficulty for the model that was scored."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from tellapart.bundles.tier_stats import cluster_numbers
from tellapart.bundles.tiers import TIERS
from tellapart.core.comparison.levels import (
    LevelItems,
    LevelRuns,
    LevelStep,
    check_levels,
    check_levels_of_runs,
    disorder,
)


def check_tiers(scores: pl.DataFrame) -> tuple[LevelStep, ...]:
    """Test that the pass rate does not rise from any tier to the next.

    Args:
        scores: Rows of ``SCORE_SCHEMA`` of one model; those without a tier are left out. Tiers that were cut
            by this model's own danger fall by construction, so test only those that came with the data.

    Returns:
        A step for each two neighbouring tiers that have bundles, clustered on the anchor.
    """
    numbered = scores.select("tier", passed=pl.col("margin") > 0).with_columns(
        cluster=cluster_numbers(scores)
    )
    groups = [(tier, numbered.filter(pl.col("tier") == tier)) for tier in TIERS]
    return check_levels(
        [
            LevelItems(tier, group["passed"].cast(pl.Float64).to_numpy(), group["cluster"].to_numpy())
            for tier, group in groups
            if group.height
        ]
    )


def check_tiers_of_runs(runs: Sequence[pl.DataFrame]) -> tuple[LevelStep, ...]:
    """Test the same of several runs of one condition, such as those over its seeds.

    Args:
        runs: As for ``check_tiers``, two or more, of the same bundles in one order and one tiering.
    """
    first = runs[0]
    clusters, passed = cluster_numbers(first), np.stack([(run["margin"] > 0).to_numpy() for run in runs])
    tiers = [(tier, first["tier"].eq_missing(tier).to_numpy()) for tier in TIERS]
    return check_levels_of_runs(
        [
            LevelRuns(tier, passed[:, inside].astype(np.float64), clusters[inside])
            for tier, inside in tiers
            if inside.any()
        ]
    )


def tier_caution(scores: pl.DataFrame) -> str | None:
    """Say that tiers do not order difficulty for a model, as every verdict on its scores must.

    Args:
        scores: As for ``check_tiers``, one row or more.

    Returns:
        A sentence that names the model, to be stored with the scores in ``ScoreNotes.cautions``; None where
        no rate rises beyond noise.
    """
    return disorder({scores["model"][0]: check_tiers(scores)})
