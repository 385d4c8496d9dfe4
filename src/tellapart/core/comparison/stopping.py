"""Whether enough items were asked."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, isfinite, sqrt

import numpy as np

from tellapart.core.arrays import I64
from tellapart.core.comparison.compare import ALL_ITEMS, check_models, sorting_columns, with_notes
from tellapart.core.comparison.looks import LookPlan, compare_at_looks
from tellapart.core.comparison.pairs import Comparison, Primary
from tellapart.core.comparison.plan import GapSpread, resolution, whole
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.scores import ScoreTable
from tellapart.core.stats.paired import paired_differences
from tellapart.core.stats.spending import INFLATION
from tellapart.errors import UsageError

PILOT = 50
"""The first items, from whose spread the most items are planned where nobody says how many."""

_FEW = 10
_UNLIKELY = 5.0
_NO_CHANCE = 1e-4


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
        used: Items on which the comparison rests, see `LookedAt`.
        next_size: The items at which the next look is; None after the last.
        comparison: None before the first look.
    """

    reason: StopReason | None
    used: int
    looks: int
    next_size: int | None
    comparison: Comparison | None


def check_stopping(
    grid: ScoreGrid,
    order: Sequence[int] | I64,
    plan: LookPlan,
    settings: ComparisonSettings | None = None,
    *,
    awaited: Collection[str] | None = None,
) -> Stopping:
    """Look at scores as they came in, and say whether more items are needed.

    Looks are at numbers of items that the plan alone fixes, whenever this is called, so that more calls claim
    no more. What came after the look at which every pair was decided is not used. ``order`` has the places of
    items in the grid as they were asked, which must be at random; for ``awaited`` see `compare_at_looks`.
    """
    settings = with_notes(settings or ComparisonSettings(), grid)
    check_models(grid, settings.baseline)
    if settings.primary is not None:
        raise UsageError("looks are at all items, and a part of them is asked for")
    places = np.asarray(order, dtype=np.int64)
    looked = compare_at_looks(grid, places, plan, settings, awaited=awaited)
    next_size = plan.next_size(len(places))
    reason = StopReason.DECIDED if looked.is_decided else StopReason.BUDGET if next_size is None else None
    comparison = Comparison(
        alpha=settings.alpha,
        power=settings.power,
        sesoi=settings.least,
        baseline=settings.baseline,
        primary=Primary(looked.pairs, ALL_ITEMS),
        secondary=None,
        cautions=grid.notes.cautions,
        resolution=resolution(looked.pairs, settings, grid.span),
    )
    shown = comparison if looked.pairs else None
    return Stopping(reason, looked.used, looked.looks, None if reason else next_size, shown)


def planned_items(grid: ScoreGrid, order: Sequence[int] | I64, settings: ComparisonSettings) -> int | None:
    """Plan the most items: as many as settle a difference of ``settings.least``, by the first ``PILOT``.

    It rests on how much their differences spread, as if they were of the whole scale on one item more, and
    not on which model is better; scores that come in later change nothing. None below ``PILOT`` items, and
    where no number would do.
    """
    if len(order) < PILOT:
        return None
    pilot = np.asarray(order[:PILOT], dtype=np.int64)
    every = paired_differences(grid.scores[:, pilot], grid.clusters[pilot])
    names = zip(every.first, every.second, strict=True)
    chosen = [settings.baseline in (None, grid.models[a], grid.models[b]) for a, b in names]
    rare = grid.span**2 / PILOT if isfinite(grid.span) else 0.0
    per_source = every.n / np.maximum(every.n_clusters, 1)
    spread = GapSpread(
        variance=np.nan_to_num(np.square(every.sd)) + rare,
        design_effect=np.where(per_source > 1, np.fmax(every.design_effect, 1.0), 1.0),
        sources=every.n_clusters.astype(np.float64),
        items_per_source=per_source,
        exact=np.zeros(len(chosen)),
        range=grid.span,
    ).some(np.flatnonzero(chosen).tolist())
    level = settings.alpha / max(1, sum(chosen))
    needed = float(spread.items_to_settle(settings.least, level, level, settings.power).max(initial=0.0))
    planned = whole(INFLATION * needed)
    if not planned:
        return None
    # Rounded up to two digits: it is no more certain than that.
    unit: int = 10 ** max(0, len(str(planned)) - 2)
    return max(PILOT, unit * ceil(planned / unit))


def are_told_apart(
    scores: ScoreTable, item_ids: Sequence[str], plan: LookPlan, awaited: Collection[str] | None = None
) -> bool:
    """Say whether a run has asked enough items: every pair is decided; see `check_stopping`.

    Items without a row are passed over; where not all that are awaited are among the models, every pair is.
    """
    if len(scores.scored_models) < 2:
        return False
    grid = score_grid(scores)
    columns = {item: column for column, item in enumerate(grid.items)}
    places = [columns[item] for item in item_ids if item in columns]
    named = awaited if awaited is not None and set(awaited) <= set(grid.models) else None
    return check_stopping(grid, places, plan, awaited=named).reason is StopReason.DECIDED


def order_not_of_chance(grid: ScoreGrid, order: I64) -> str:
    """Say why the order in which items were asked is plainly none of chance; empty where it may be.

    Source:
        Bartels 1982, "The rank version of von Neumann's ratio test for randomness", for ids that follow each
        other nearly in order, or block by block.
    """
    if len(order) < _FEW:
        return ""
    by_number = sorted(range(len(grid.items)), key=lambda k: _natural(str(grid.items[k])))
    place = np.empty(len(by_number), dtype=np.int64)
    place[by_number] = np.arange(len(by_number))
    ranks = np.argsort(np.argsort(place[order]))
    steps = np.diff(ranks)
    if (steps > 0).all() or (steps < 0).all():
        return "in the order of their ids"
    for name in sorting_columns(grid):
        codes = grid.strata[name].codes[order]
        shares = np.bincount(codes + 1) / len(codes)
        expected = 1 + (len(codes) - 1) * (1 - float(np.sum(shares**2)))
        runs = 1 + np.count_nonzero(np.diff(codes))
        if runs < expected - _UNLIKELY * sqrt(len(codes)) / 2:
            return f"one {name} after another"
    if np.square(steps).sum() / (len(ranks) * ranks.var()) < 2 - _UNLIKELY * 2 / sqrt(len(ranks)):
        return "nearly in the order of their ids"
    counts = (~np.isnan(grid.scores[:, order])).sum(axis=0)
    means = np.nansum(grid.scores[:, order], axis=0) / np.maximum(counts, 1)
    known = np.flatnonzero(counts)
    if len(known) >= _FEW and np.ptp(means[known]) > 0:
        # ``scipy.stats`` takes longer to import than most tables to compare.
        from scipy.stats import spearmanr

        trend = spearmanr(known, means[known])
        if trend.pvalue < _NO_CHANCE:
            return f"from {'hard to easy' if trend.statistic > 0 else 'easy to hard'} ones"
    return ""


def _natural(text: str) -> list[tuple[int, int | str]]:
    """A key by which ``q2`` comes before ``q10``."""
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in re.split(r"([0-9]+)", text)]
