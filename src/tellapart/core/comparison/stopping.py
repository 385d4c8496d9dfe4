"""Whether enough items were asked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite, sqrt

import numpy as np

from tellapart.core.arrays import I64
from tellapart.core.comparison.compare import ALL_ITEMS, check_models, sorting_columns, with_notes
from tellapart.core.comparison.looks import LookPlan, Method
from tellapart.core.comparison.pairs import Comparison, Family
from tellapart.core.comparison.repeated_looks import compare_at_looks
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError, UsageError

_FEW = 10
_UNLIKELY = 5.0


class StopReason(StrEnum):
    """Why no more items need be asked."""

    DECIDED = "decided"
    BUDGET = "budget"


@dataclass(frozen=True)
class Stopping:
    """Whether enough items were asked.

    Attributes:
        reason: Why no more are needed: every pair of models is decided (one better, or equivalent), or the
            greatest number of items is reached. None while more are.
        used: Items, in the order in which they were asked, on which the comparison rests: up to the last
            look, or to that which decided.
        looks: How many looks there were.
        next_size: The items at which the next look is; None after the last.
        method: How false claims are avoided.
        comparison: A pair that was decided stands as at the look which decided it. None before the first
            look.
    """

    reason: StopReason | None
    used: int
    looks: int
    next_size: int | None
    method: Method
    comparison: Comparison | None


def check_stopping(
    grid: ScoreGrid,
    order: Sequence[int] | I64,
    plan: LookPlan,
    settings: ComparisonSettings | None = None,
    *,
    cautions: Sequence[str] = (),
    awaited: Collection[str] | None = None,
    ends: bool = False,
    progress: Progress = SILENT,
) -> Stopping:
    """Look at scores as they came in, and say whether more items are needed.

    Looks are at numbers of items that the plan alone fixes, whenever this is called, so that more calls claim
    no more. What came after the look at which every pair was decided is not used.

    Args:
        grid: At least two models.
        order: Places of items in the grid, in the order in which they were asked; the order must be random.
        plan: When to look.
        settings: The defaults where None; a primary part of the items and a column to break down by have no
            looks of their own, and are refused.
        cautions: As `compare` takes them.
        awaited: See `compare_at_looks`.
        ends: See `compare_at_looks`.
        progress: Receives how many looks are done.
    """
    settings = with_notes(settings or ComparisonSettings(), grid)
    check_models(grid, settings.baseline)
    if settings.primary is not None:
        raise UsageError("looks are at all items, and a part of them is asked for")
    if plan.method is Method.BETTING and not isfinite(grid.limits[1] - grid.limits[0]):
        raise InputError(
            "scores without a lowest and a highest value cannot be bet on",
            next_step="Give the most items that you would ask: --max-items",
        )
    places = np.asarray(order, dtype=np.int64)
    looked = compare_at_looks(grid, places, plan, settings, progress, awaited, ends=ends)
    next_size = plan.next_size(len(places))
    reason = StopReason.DECIDED if looked.is_decided else StopReason.BUDGET if next_size is None else None
    comparison = Comparison(
        alpha=settings.alpha,
        power=settings.power,
        sesoi=settings.sesoi,
        baseline=settings.baseline,
        primary=Family(ALL_ITEMS, looked.pairs),
        secondary=None,
        cautions=tuple(dict.fromkeys((*grid.notes.cautions, *cautions, *_order_cautions(grid, places)))),
    )
    return Stopping(
        reason,
        looked.used,
        looked.looks,
        None if reason else next_size,
        plan.method,
        comparison if looked.pairs else None,
    )


def are_told_apart(
    scores: ScoreTable, asked: Sequence[str], plan: LookPlan, awaited: Collection[str] | None = None
) -> bool:
    """Say whether a run has asked enough items: every pair is decided; see `check_stopping`.

    Args:
        scores: So far.
        asked: Ids of items in the order in which they were asked; those without a row are passed over.
        plan: When to look.
        awaited: See `compare_at_looks`; where not all of these are among the models, every pair is awaited.

    Returns:
        False also where fewer than two models have a score.
    """
    if len(scores.scored_models) < 2:
        return False
    grid = score_grid(scores)
    place_of = {item: place for place, item in enumerate(grid.items)}
    places = [place_of[item] for item in asked if item in place_of]
    named = awaited if awaited is not None and set(awaited) <= set(grid.models) else None
    return check_stopping(grid, places, plan, awaited=named).reason is StopReason.DECIDED


def _order_cautions(grid: ScoreGrid, order: I64) -> list[str]:
    """Say where the order in which items were asked is plainly none of chance."""
    if len(order) < _FEW:
        return []
    if (np.diff(order) > 0).all() or (np.diff(order) < 0).all():
        return [
            "The items were asked in the order of their ids, and looks are valid for a random order only."
        ]
    for name in sorting_columns(grid):
        codes = grid.strata[name].codes[order]
        shares = np.bincount(codes + 1) / len(codes)
        expected = 1 + (len(codes) - 1) * (1 - float(np.sum(shares**2)))
        runs = 1 + np.count_nonzero(np.diff(codes))
        if runs < expected - _UNLIKELY * sqrt(len(codes)) / 2:
            return [
                f"The items were asked one {name} after another, and looks are valid for a random order only."
            ]
    return []
