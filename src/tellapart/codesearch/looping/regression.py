"""Product areas in which an iteration is worse than an earlier one, or may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.looping.change import Change, changes, common, names_of, on_one_truth
from tellapart.codesearch.metrics.explorations import explorer_names
from tellapart.codesearch.results.loop import RegressionRecord
from tellapart.core.comparison import GateOutcome, judge_change
from tellapart.core.seed import SEED

EVERYWHERE = "all conversations"
"""In place of an area, where all of them together fell."""

_ROUNDING = 1e-9


class RegressionStatus(StrEnum):
    """What is known of a measure that may have fallen by more than the limit.

    It is ``worse`` where it fell by more than the limit beyond noise, ``unclear`` where it fell by more on
    these conversations and noise could be why, and ``unreliable`` where missing verdicts decide whether it
    fell by more.
    """

    WORSE = "worse"
    UNCLEAR = "unclear"
    UNRELIABLE = "unreliable"


@dataclass(frozen=True)
class Regression:
    """A measure of an area that fell by more than the limit, or may have.

    Attributes:
        area: The product area, as the later iteration has it, or ``EVERYWHERE``.
        measure: ``precision`` or ``recall``, or the same with ``_union`` where nothing was judged.
        against: The iteration that was better.
        fall: What is known of it.
        change: On the conversations of the area that both iterations have.
        one_truth: The same on one ground truth for both; None where the ground truths are equal.
        same_explorers: Whether both iterations had the same; if not, ``one_truth`` is what fell.
    """

    area: str
    measure: str
    against: int
    fall: RegressionStatus
    change: Change
    one_truth: Change | None
    same_explorers: bool

    @property
    def decisive(self) -> Change:
        """What is held against the limit."""
        return _decisive(self.change, self.one_truth, same_explorers=self.same_explorers)

    def record(self) -> RegressionRecord:
        """The same as it is stored."""
        return RegressionRecord(
            area=self.area,
            measure=self.measure,
            against_iteration=self.against,
            fall=self.fall.value,
            **self.change.fields(),
            one_ground_truth=None if self.one_truth is None else self.one_truth.record(),
            same_explorers=self.same_explorers,
        )


def regressions(
    earlier: Sequence[Evaluation], now: Evaluation, limit: float, *, seed: int = SEED
) -> list[Regression]:
    """Find the areas in which precision or recall fell by more than ``limit``, or may have.

    Held against the iteration before; and, for an area that did not fall since then, against whichever
    earlier iteration it fell furthest from, so that it cannot lose a little in every iteration.

    Args:
        earlier: The iterations before, in order; none gives no regression. Conversations in which verdicts
            are missing there are left out.
        now: The iteration that is judged.
        limit: In [0, 1]; a fall of just as much is none.
        seed: Of what is drawn.

    Returns:
        By area and measure. Conversations that an iteration does not have, or that have no value in one of
        the two, do not count, but for those that miss it for want of verdicts now; an area without any that
        counts cannot fall.

    Source:
        The source document, Per-Product-Area Metrics: "prevent oscillating improvements that help one area
        while hurting another".
    """
    if not earlier:
        return []
    against = {one.iteration: _regressions_since(one, now, limit, seed) for one in earlier}
    worst = dict(against[earlier[-1].iteration])
    for falls in against.values():
        for key, fall in falls.items():
            deepest = worst.get(key)
            furthest = deepest is None or (
                deepest.against != earlier[-1].iteration and _depth(fall) > _depth(deepest)
            )
            if furthest:
                worst[key] = fall
    return [worst[key] for key in sorted(worst)]


def regression_status(change: Change, limit: float) -> RegressionStatus | None:
    """Say whether a measure fell by more than a limit; None where it did not."""
    if change.bounds is None or change.bounds[0] >= -limit - _ROUNDING:
        return None
    if change.bounds[1] >= -limit - _ROUNDING:
        return RegressionStatus.UNRELIABLE
    # Where all conversations fell by the same, there is no interval, and the fall is what it is.
    same = change.interval is None and change.verdict == "worse"
    failed = same or judge_change(change.interval, limit) is GateOutcome.FAILED
    return RegressionStatus.WORSE if failed else RegressionStatus.UNCLEAR


def _regressions_since(
    before: Evaluation, now: Evaluation, limit: float, seed: int
) -> dict[tuple[str, str], Regression]:
    pairs, names = common(before, now), names_of(before, now)
    changed = {new.conversation.product_area for old, new in pairs if old.ground_truth != new.ground_truth}
    same = explorer_names([old for old, _ in pairs]) == explorer_names([new for _, new in pairs])
    one_truth = on_one_truth(before, now, judged="precision" in names, seed=seed) if changed else {}
    falls: dict[tuple[str, str], Regression] = {}
    for name in names:
        of_measure, one = changes(before, now, name, seed=seed), one_truth.get(name.removesuffix("_union"))
        of = {
            area: (change, one.areas[area] if one and area in changed else None)
            for area, change in of_measure.areas.items()
        }
        if len(of) > 1:
            of[EVERYWHERE] = (of_measure.whole, one.whole if one else None)
        for area, (change, other) in of.items():
            fall = regression_status(_decisive(change, other, same_explorers=same), limit)
            # All together count where that is beyond noise, which the few of one area may never be.
            if fall is RegressionStatus.WORSE or (fall is not None and area != EVERYWHERE):
                falls[area, name] = Regression(area, name, before.iteration, fall, change, other, same)
    return falls


def _decisive(change: Change, one_truth: Change | None, *, same_explorers: bool) -> Change:
    return change if same_explorers or one_truth is None else one_truth


def _depth(fall: Regression) -> float:
    bounds = fall.decisive.bounds
    return 0.0 if bounds is None else -bounds[0]
