"""Models compared again and again as scores come in, until every pair is decided."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from tellapart.core.arrays import I64
from tellapart.core.comparison.decision import TestedPairs, claims_at_look, correct_together, run_tests
from tellapart.core.comparison.looks import LookPlan
from tellapart.core.comparison.pairs import PairComparison
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
    ``places`` are those of items in the grid in the order in which they were asked; pairs without a model of
    ``awaited`` are not waited for.
    """
    places = places[: plan.max_items]
    sizes = plan.sizes(len(places))
    decided: dict[int, PairComparison] = {}
    for k, used in enumerate(counted(sizes, progress, "looking", unit="looks"), start=1):
        is_used = np.zeros(len(grid.items), dtype=np.bool_)
        is_used[places[:used]] = True
        tested = run_tests(grid.only(is_used), settings, look=plan.look(sizes[:k]))
        decided |= claims_at_look(tested, settings, decided)
        is_decided = all(at in decided for at in _awaited(tested, awaited))
        if is_decided or k == len(sizes):
            pairs = correct_together([tested], settings, before=decided)
            return LookedAt(tuple(pairs), used, k, is_decided)
    return LookedAt((), 0, 0, is_decided=False)


def _awaited(tested: TestedPairs, models: Collection[str] | None) -> Iterator[int]:
    """The places of the pairs that are waited for."""
    every, names = tested.differences, tested.grid.models
    for at, pair in enumerate(tested.pairs):
        if models is None or {names[every.first[pair]], names[every.second[pair]]} & set(models):
            yield at
