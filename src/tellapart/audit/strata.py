"""What each kind of items separates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tellapart.audit.options import AuditOptions
from tellapart.audit.results import Stratum
from tellapart.core.comparison import PairComparison, Secondary
from tellapart.core.comparison.compare import secondary_family, sorting_columns
from tellapart.core.pair_key import pair_key
from tellapart.core.score_grid import ScoreGrid


def strata_families(
    grid: ScoreGrid, options: AuditOptions, compared: Secondary | None = None
) -> dict[str, Secondary]:
    """Compare the models within each kind of items; items without a value are of no kind."""
    families = {
        column: compared
        if compared is not None and compared.by == column
        else secondary_family(grid, options, column)
        for column in sorting_columns(grid, options.by)
    }
    return {column: family for column, family in families.items() if family is not None}


def by_stratum(grid: ScoreGrid, families: Mapping[str, Secondary]) -> dict[str, dict[str, Stratum]]:
    """Summarise what each kind of items separates, by column and value."""
    return {
        column: {
            value: _stratum(grid, column, k, [pair for pair in family.pairs if pair.stratum == value])
            for k, value in enumerate(grid.strata[column].values)
        }
        for column, family in families.items()
    }


def share_separated(pairs: Sequence[PairComparison]) -> float | None:
    """Give the share of pairs in which one model is better, or None without a pair."""
    return sum(pair.is_separated for pair in pairs) / len(pairs) if pairs else None


def _stratum(grid: ScoreGrid, column: str, k: int, pairs: Sequence[PairComparison]) -> Stratum:
    part = grid.only(grid.strata[column].codes == k)
    means = {
        model: float(np.nanmean(scores)) if not np.isnan(scores).all() else None
        for model, scores in zip(part.models, part.scores, strict=True)
    }
    return Stratum(
        separated_paired=share_separated(pairs),
        items=len(part.items),
        means=means,
        items_needed={pair_key(pair.a, pair.b): pair.items_needed for pair in pairs},
    )
