"""The scores of bundles behind a figure of scoreboards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tellapart.bundles.boards import Scored, load_scored
from tellapart.bundles.scoreboard import Scoreboard, scores_path
from tellapart.bundles.tier_stats import MEANS, SHARES
from tellapart.bundles.tiers import TIERS
from tellapart.bundles.units import MARGINS, RESCORE, why_margins_differ
from tellapart.errors import UsageError

COLUMNS = {"pass_rate": "score", "accuracy": "score", **MEANS, **SHARES}
"""Figures of a scoreboard that are means over bundles, and the column of scores behind each."""


def tier_and_figure(metric: str) -> tuple[str | None, str]:
    """Split the name of a metric: ``tier1_easy_mrr`` is ``mrr`` of ``tier1_easy``."""
    tier = next((tier for tier in TIERS if metric.startswith(f"{tier}_")), None)
    return tier, metric if tier is None else metric.removeprefix(f"{tier}_")


def read_item_scores(paths: Sequence[Path]) -> tuple[list[Scored], str]:
    """Read scoreboards with the scores beside them, sorted by bundle.

    Returns:
        One for each, or nothing and why: some scoreboard has no scores beside it, or has those of other
        bundles.

    Raises:
        InputError: Scores are damaged or not those of their scoreboard.
    """
    lacking = sum(not scores_path(path).exists() for path in paths)
    if lacking:
        return [], f"{lacking} of {len(paths)} scoreboards have no scores of bundles beside them"
    read = [load_scored(path) for path in paths]
    boards = [replace(one, scores=one.scores.sort("item")) for one in read]
    if any(not one.scores["item"].equals(boards[0].scores["item"]) for one in boards):
        return [], "the scoreboards are of different bundles"
    return boards, ""


def scores_behind(frames: Sequence[pl.DataFrame], metric: str) -> list[pl.DataFrame]:
    """Give ``item``, ``score`` and ``cluster`` of the bundles whose mean a metric is.

    Args:
        frames: Rows of ``SCORE_SCHEMA`` of the same bundles in one order.
        metric: A figure of scoreboards.

    Returns:
        One for each of ``frames``, of the same bundles; nothing where there are no frames or no bundles, the
        metric is no mean over bundles, or its tier is of other bundles in some of them.
    """
    tier, figure = tier_and_figure(metric)
    column = COLUMNS.get(figure)
    if column is None or not frames:
        return []
    if tier is not None:
        inside = [frame["tier"].eq_missing(tier) for frame in frames]
        if any(not mask.equals(inside[0]) for mask in inside):
            return []
        frames = [frame.filter(mask) for frame, mask in zip(frames, inside, strict=True)]
    if not frames[0].height:
        return []
    chosen = ["item", pl.col(column).cast(pl.Float64).alias("score"), "cluster"]
    return [frame.select(chosen) for frame in frames]


def why_units_differ(boards: Sequence[Scoreboard], metric: str) -> str | None:
    """Say why a metric does not compare between scoreboards: margins of similarities in different units."""
    if tier_and_figure(metric)[1] not in MARGINS:
        return None
    reasons = (why_margins_differ(boards[0], other) for other in boards[1:])
    return next((why for why in reasons if why), None)


def check_units(boards: Sequence[Scoreboard], metric: str) -> None:
    """Raise UsageError where a metric does not compare between scoreboards."""
    why = why_units_differ(boards, metric)
    if why:
        step = RESCORE if "not recorded" in why else "Choose a rate or a rank with --metric"
        raise UsageError(f"{metric!r} does not compare between these scoreboards: {why}", next_step=step)
