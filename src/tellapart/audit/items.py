"""What the items are like: difficulty, discrimination, flags, reliability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.audit.item_curves import ItemCurves, fit_curves, surely
from tellapart.audit.results import Flag, FlaggedItem, Reliability, Suspects
from tellapart.core.arrays import F64
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.consistency import consistency, rest_correlations

FALSE_FINDS = 0.05
"""Expected share of sound items among those that are flagged."""

MOST_SUSPECTS, FEWEST_BACKWARDS, ENOUGH_MODELS = 10, 5.0, 8
"""So many items are suspect, where so many of them are expected to be backwards by so many models."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class ItemAnalysis:
    """What the items are like.

    Attributes:
        table: A row an item: ``item``, ``n_models``, ``difficulty`` (mean score), ``discrimination``
            (corrected item-total correlation over models, null where undefined), ``backwards`` (the chance
            that it ranks models backwards, null with too few) and ``flag`` (or null).
        flagged: Items to look at, by flag and then id.
        suspects: Items that may rank models backwards, the likeliest first.
        curves: By which they do; None with too few models.
    """

    table: pl.DataFrame
    flagged: tuple[FlaggedItem, ...]
    suspects: Suspects
    reliability: Reliability
    curves: ItemCurves | None

    def of(self, flag: Flag) -> list[str]:
        """Ids of the items with a flag."""
        return [item.item for item in self.flagged if item.reason is flag]


def examine(grid: ScoreGrid) -> ItemAnalysis:
    """Look at every item."""
    correlations = rest_correlations(grid.scores)
    curves = fit_curves(grid)
    backwards = np.full(len(grid.items), np.nan) if curves is None else curves.backwards()
    marks = _marks(grid, backwards)
    scored = grid.of_models(np.flatnonzero(~np.isnan(grid.scores).all(axis=1)).tolist())
    return ItemAnalysis(
        table=_table(grid, correlations, backwards, marks),
        flagged=_flagged(grid, correlations, marks),
        suspects=_suspects(grid, backwards),
        reliability=_reliability(scored),
        curves=curves,
    )


def _suspects(grid: ScoreGrid, backwards: F64) -> Suspects:
    """List the likeliest ones; none where too few of them are expected to be backwards."""
    likeliest = np.argsort(-np.nan_to_num(backwards), kind="stable")[:MOST_SUSPECTS]
    expected = float(np.nansum(backwards[likeliest]))
    if len(grid.models) < ENOUGH_MODELS or expected < FEWEST_BACKWARDS:
        return Suspects(items=(), expected_backwards=0.0)
    return Suspects(items=tuple(map(str, grid.items[likeliest])), expected_backwards=expected)


def _marks(grid: ScoreGrid, backwards: F64) -> dict[Flag, Mask]:
    low, high = grid.limits
    return {
        Flag.ALL_PASS: _all_at(grid.scores, high),
        Flag.ALL_FAIL: _all_at(grid.scores, low),
        Flag.NEGATIVE: surely(np.nan_to_num(backwards), FALSE_FINDS),
    }


def _all_at(scores: F64, limit: float) -> Mask:
    """Items with a score of which all are the limit, up to the rounding of a mean over answers."""
    unknown = np.isnan(scores)
    if not np.isfinite(limit):
        return np.zeros(scores.shape[1], dtype=bool)
    at = np.abs(scores - limit) <= 1e-12 * max(abs(limit), 1.0)
    return np.asarray((at | unknown).all(axis=0) & ~unknown.all(axis=0), dtype=bool)


def _table(grid: ScoreGrid, correlations: F64, backwards: F64, marks: dict[Flag, Mask]) -> pl.DataFrame:
    scored = ~np.isnan(grid.scores)
    n = scored.sum(axis=0)
    difficulty = np.full(len(n), np.nan)
    np.divide(np.where(scored, grid.scores, 0.0).sum(axis=0), n, out=difficulty, where=n > 0)
    flags = np.full(len(n), None, dtype=object)
    for flag in reversed(marks):
        flags[marks[flag]] = flag.value
    return pl.DataFrame(
        {
            "item": pl.Series(grid.items.tolist(), dtype=pl.String),
            "n_models": pl.Series(n, dtype=pl.Int64),
            "difficulty": _nullable(difficulty),
            "discrimination": _nullable(correlations),
            "backwards": _nullable(backwards),
            "flag": pl.Series(flags.tolist(), dtype=pl.String),
        }
    )


def _nullable(values: F64) -> pl.Series:
    return pl.Series(values, dtype=pl.Float64, nan_to_null=True)


def _flagged(grid: ScoreGrid, correlations: F64, marks: dict[Flag, Mask]) -> tuple[FlaggedItem, ...]:
    return tuple(
        FlaggedItem(
            item=str(grid.items[at]),
            reason=flag,
            discrimination=None if np.isnan(correlations[at]) else float(correlations[at]),
        )
        for flag, marked in marks.items()
        for at in np.flatnonzero(marked)
    )


def _reliability(scored: ScoreGrid) -> Reliability:
    result = consistency(scored.scores)
    n_items, reason = int(np.count_nonzero(result.complete)), result.reason or ""
    if result.coefficient == "kr20":
        return Reliability(kr20=result.value, over_models=scored.models, items=n_items, reason=reason)
    return Reliability(alpha=result.value, over_models=scored.models, items=n_items, reason=reason)
