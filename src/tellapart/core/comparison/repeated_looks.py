"""Models compared again and again as scores come in, until every pair is decided."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from tellapart.core.arrays import I64
from tellapart.core.comparison.decision import correct_together, run_tests
from tellapart.core.comparison.looks import Look, LookPlan
from tellapart.core.comparison.pairs import PairComparison, Verdict
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.progress import SILENT, Progress, counted
from tellapart.core.score_grid import ScoreGrid


@dataclass(frozen=True)
class LookedAt:
    """What looks showed.

    Attributes:
        pairs: A pair that was decided stands as at the look which decided it. Empty before the first look.
        used: Items up to the last look, or to that which decided.
        is_decided: Whether of every pair that is awaited one is better, or both are equivalent.
    """

    pairs: tuple[PairComparison, ...]
    used: int
    looks: int
    is_decided: bool


def compare_at_looks(
    grid: ScoreGrid,
    places: I64,
    plan: LookPlan,
    settings: ComparisonSettings,
    progress: Progress = SILENT,
    awaited: Collection[str] | None = None,
) -> LookedAt:
    """Compare every two models, or each with the baseline, at each look of a plan until all is decided.

    What came after the look at which every pair was decided is not used, so that more calls claim no more.

    Args:
        grid: At least two models.
        places: Places of items in the grid, in the order in which they were asked.
        plan: When to look.
        settings: As for `compare`.
        progress: Receives how many looks are done.
        awaited: Models that more items would be asked of: pairs without any of them are not waited for. All
            where None.
    """
    places = places[: plan.max_items]
    sizes = plan.sizes(len(places))
    decided: dict[int, PairComparison] = {}
    pairs: list[PairComparison] = []
    used = 0
    for k, used in enumerate(counted(sizes, progress, "looking", unit="looks"), start=1):
        is_used = np.zeros(len(grid.items), dtype=np.bool_)
        is_used[places[:used]] = True
        part, look = grid.only(is_used), plan.look(sizes[:k])
        pairs = _at_look(part, settings, look, decided, is_last=k == len(sizes))
        decided |= {at: pair for at, pair in enumerate(pairs) if _is_decided(pair)}
        if pairs and all(at in decided or not _awaits(pair, awaited) for at, pair in enumerate(pairs)):
            return LookedAt(tuple(pairs), used, k, is_decided=True)
    return LookedAt(tuple(pairs), used, len(sizes), is_decided=False)


def _awaits(pair: PairComparison, awaited: Collection[str] | None) -> bool:
    return awaited is None or pair.a in awaited or pair.b in awaited


def _is_decided(pair: PairComparison) -> bool:
    return pair.verdict in (Verdict.A_BETTER, Verdict.B_BETTER, Verdict.EQUIVALENT)


def _at_look(
    grid: ScoreGrid,
    settings: ComparisonSettings,
    look: Look,
    decided: dict[int, PairComparison],
    *,
    is_last: bool,
) -> list[PairComparison]:
    """Compare the items so far; what was decided at an earlier look stays, with the p that it had there.

    Returns:
        Nothing where no pair can be decided and there are further looks.
    """
    tested = run_tests(grid, settings, look=look)
    undecided = [at for at in range(len(tested.pairs)) if at not in decided]
    smallest = np.fmin(tested.p[undecided], tested.p_equivalent[undecided])
    if not is_last and not (smallest <= look.nominal(settings.alpha)).any():
        return []
    return correct_together([tested], settings, decided_before=decided)
