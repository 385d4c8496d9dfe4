"""Product areas in which an iteration is worse than an earlier one, or may be."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.codesearch.looping.change import changes, telling
from tellapart.codesearch.looping.records import ChangeRecord, RegressionRecord, RegressionStatus
from tellapart.codesearch.metrics.paired_cases import share_cases
from tellapart.codesearch.model import Evaluation
from tellapart.core.comparison import GateOutcome, judge_drop
from tellapart.core.comparison.pairs import negated
from tellapart.core.estimate import Interval
from tellapart.core.seed import SEED

EVERYWHERE = "all conversations"
"""In place of an area, where all of them together fell."""

ROUNDING = 1e-9
"""A figure that misses a limit by no more than this reaches it."""


def regressions(
    earlier: Sequence[Evaluation], now: Evaluation, limit: float, *, seed: int = SEED
) -> list[RegressionRecord]:
    """Find the areas in which precision or recall fell by more than ``limit``, or may have.

    Where an explorer searches as the system does, by the measure that `change.telling` gives instead.

    Held against the iteration before; and, for an area that did not fall since then, against whichever
    earlier iteration it fell furthest from, so that it cannot lose a little in every iteration. Iterations
    with other explorers are left out: their ground truth is another one.

    Source:
        The source document, Per-Product-Area Metrics: "prevent oscillating improvements that help one area
        while hurting another".
    """
    earlier = [before for before in earlier if share_cases(before.cases, now.cases).same_explorers]
    if not earlier:
        return []
    against = {
        evaluation.iteration: _regressions_since(evaluation, now, limit, seed) for evaluation in earlier
    }
    worst = dict(against[earlier[-1].iteration])
    for falls in against.values():
        for key, fall in falls.items():
            deepest = worst.get(key)
            furthest = deepest is None or (
                deepest.against_iteration != earlier[-1].iteration and _depth(fall) > _depth(deepest)
            )
            if furthest:
                worst[key] = fall
    return [worst[key] for key in sorted(worst)]


def regression_status(change: ChangeRecord, limit: float) -> RegressionStatus | None:
    """Say whether a measure fell by more than a limit; None where it did not."""
    if change.bounds is None or change.bounds[0] >= -limit - ROUNDING:
        return None
    if change.withheld:
        return RegressionStatus.CIRCULAR
    if change.bounds[1] >= -limit - ROUNDING:
        return RegressionStatus.UNRELIABLE
    # Where all conversations fell by the same, there is no interval, and the fall is what it is.
    same = change.interval is None and change.verdict == "worse"
    drop = change.interval and negated(Interval(*change.interval))
    failed = same or judge_drop(drop, limit) is GateOutcome.FAILED
    return RegressionStatus.WORSE if failed else RegressionStatus.UNCLEAR


def _regressions_since(
    before: Evaluation, now: Evaluation, limit: float, seed: int
) -> dict[tuple[str, str], RegressionRecord]:
    falls: dict[tuple[str, str], RegressionRecord] = {}
    for name in telling(before, now):
        change = changes(before, now, name, seed=seed)
        by_area = dict(change.areas)
        if len(by_area) > 1:
            by_area[EVERYWHERE] = change.whole
        for area, in_area in by_area.items():
            status = regression_status(in_area, limit)
            # All together count where that is beyond noise, which the few of one area may never be.
            if status is RegressionStatus.WORSE or (status is not None and area != EVERYWHERE):
                falls[area, name] = RegressionRecord(
                    **dict(in_area),
                    area=area,
                    measure=name,
                    against_iteration=before.iteration,
                    fall=status,
                )
    return falls


def _depth(fall: RegressionRecord) -> float:
    return 0.0 if fall.bounds is None else -fall.bounds[0]
