"""What each kind of items separates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tellapart.audit.findings import StratumSeparation
from tellapart.audit.options import AuditOptions
from tellapart.audit.pairs import Pair
from tellapart.audit.verdicts import judge, planned_level
from tellapart.core.score_grid import ScoreGrid
from tellapart.errors import InputError, near_match

MOST_KINDS = 50
"""A column of more kinds than this is a label, not a stratum, unless it is asked for by name."""


def by_stratum(
    grid: ScoreGrid, options: AuditOptions, judged: Sequence[Pair]
) -> tuple[StratumSeparation, ...]:
    """Compare the models within each kind of items; items without a value are of no kind.

    Args:
        grid: The scores.
        options: ``by`` names the column; None takes every column of 2 to ``MOST_KINDS`` kinds.
        judged: The pairs over all items, by which the level of `planned_level` is set.

    Returns:
        By column in the order of the table, then value in ascending order.

    Raises:
        InputError: There is no such column, it is empty, or its value differs between answers to one item.
    """
    level = planned_level(judged, options.alpha)
    return tuple(
        _within(grid, column, k, options, level)
        for column in columns(grid, options)
        for k in range(len(grid.strata[column].values))
    )


def columns(grid: ScoreGrid, options: AuditOptions) -> list[str]:
    """Name the columns to look into; see `by_stratum`."""
    if options.by is None:
        return [name for name, s in grid.strata.items() if 2 <= len(s.values) <= MOST_KINDS]
    if options.by in grid.answer_strata:
        raise InputError(
            f"the stratum {options.by!r} differs between answers to one item, so it sorts no items"
        )
    if options.by not in grid.strata:
        known = near_match(options.by, grid.strata) if grid.strata else "There is none."
        raise InputError(
            f"there is no stratum {options.by!r}",
            next_step=f"{known} A column of numbers sorts items only if --columns names it",
        )
    if not grid.strata[options.by].values:
        raise InputError(f"the stratum {options.by!r} has no value for any item, so it sorts none")
    return [options.by]


def share_separated(pairs: Sequence[Pair]) -> float | None:
    """Give the share of pairs in which one model is better, or None without a pair."""
    return sum(pair.is_separated for pair in pairs) / len(pairs) if pairs else None


def _within(grid: ScoreGrid, column: str, k: int, options: AuditOptions, level: float) -> StratumSeparation:
    value = grid.strata[column].values[k]
    part = grid.only(grid.strata[column].codes == k)
    pairs = judge(part, options, level=level, part=(column, value))
    means = {
        model: float(np.nanmean(scores)) if not np.isnan(scores).all() else None
        for model, scores in zip(part.models, part.scores, strict=True)
    }
    return StratumSeparation(
        column=column,
        value=value,
        items=len(part.items),
        means=means,
        separated_paired=share_separated(pairs),
        items_needed={(pair.a, pair.b): pair.items_needed for pair in pairs},
    )
