"""What each kind of items separates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tellapart.audit.findings import StratumSeparation
from tellapart.audit.options import AuditOptions
from tellapart.core.comparison import ALPHA, Family, PairComparison
from tellapart.core.comparison.compare import secondary_family, sorting_columns
from tellapart.core.score_grid import ScoreGrid


def by_stratum(
    grid: ScoreGrid, options: AuditOptions, compared: Family | None = None
) -> tuple[StratumSeparation, ...]:
    """Compare the models within each kind of items; items without a value are of no kind.

    Args:
        grid: The scores.
        options: ``by`` names the column; None takes every column of 2 to `MOST_VALUES` kinds. The kinds of a
            column are one family.
        compared: A column's family that a comparison has already, so that it is not computed again.

    Returns:
        By column in the order of the table, then value in ascending order.

    Raises:
        InputError: There is no such column, it is empty, or its value differs between answers to one item.
    """
    families = {
        column: compared
        if compared is not None and compared.name == column
        else secondary_family(grid, options, column)
        for column in sorting_columns(grid, options.by)
    }
    return tuple(
        _kind(grid, column, k, [pair for pair in family.pairs if pair.stratum == value])
        for column, family in families.items()
        if family is not None
        for k, value in enumerate(grid.strata[column].values)
    )


def share_separated(pairs: Sequence[PairComparison]) -> float | None:
    """Give the share of pairs in which one model is better, or None without a pair."""
    return sum(pair.is_separated for pair in pairs) / len(pairs) if pairs else None


def _kind(grid: ScoreGrid, column: str, k: int, pairs: Sequence[PairComparison]) -> StratumSeparation:
    part = grid.only(grid.strata[column].codes == k)
    means = {
        model: float(np.nanmean(scores)) if not np.isnan(scores).all() else None
        for model, scores in zip(part.models, part.scores, strict=True)
    }
    return StratumSeparation(
        column=column,
        value=grid.strata[column].values[k],
        items=len(part.items),
        means=means,
        separated_paired=share_separated(pairs),
        items_needed={(pair.a, pair.b): pair.items_needed for pair in pairs},
        planned_level=pairs[0].planned_level if pairs else ALPHA,
    )
