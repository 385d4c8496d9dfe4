"""Product areas in which an iteration is worse than an earlier one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tellapart.codesearch.case import Case
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.looping.change import Change, change, common, names_of, on_one_truth, values_of
from tellapart.codesearch.metrics.aggregate import areas_of
from tellapart.codesearch.metrics.agreement import explorer_names
from tellapart.codesearch.metrics.judging import MOST_FAILED, share_failed

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Regression:
    """A measure of an area that fell by more than the limit.

    Attributes:
        area: The product area, as the later iteration has it.
        measure: ``precision`` or ``recall``, or the same with ``_union`` where nothing was judged.
        against: The iteration that was better.
        change: On the conversations of the area that both iterations have.
        one_truth: The same on one ground truth for both; None where the ground truths are equal.
        same_explorers: Whether both iterations had the same; if not, ``one_truth`` is what fell.
        unreliable: Iterations of the two with too many failed verdicts.
    """

    area: str
    measure: str
    against: int
    change: Change
    one_truth: Change | None
    same_explorers: bool
    unreliable: tuple[int, ...] = ()

    @property
    def decisive(self) -> Change:
        """What is held against the limit."""
        return self.change if self.same_explorers or self.one_truth is None else self.one_truth

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return {
            "area": self.area,
            "measure": self.measure,
            "against_iteration": self.against,
            **self.change.record(),
            "one_ground_truth": None if self.one_truth is None else self.one_truth.record(),
            "same_explorers": self.same_explorers,
            "unreliable_iterations": list(self.unreliable),
        }


def regressions(
    earlier: Sequence[Evaluation], now: Evaluation, limit: float, *, seed: int = 42
) -> list[Regression]:
    """Find the areas in which precision or recall fell by more than ``limit``.

    Held against the iteration before; and, for an area that did not fall since then, against whichever
    earlier iteration it fell furthest from, so that it cannot lose a little in every iteration.

    Args:
        earlier: The iterations before, in order; none gives no regression.
        now: The iteration that is judged.
        limit: In [0, 1]; a fall of just as much is none.
        seed: See `change`.

    Returns:
        By area and measure. Conversations that an iteration does not have, or that have no value in one of
        the two, do not count; an area without any that counts cannot fall.

    Source:
        The source document, Per-Product-Area Metrics: "prevent oscillating improvements that help one area
        while hurting another".
    """
    if not earlier:
        return []
    against = {one.iteration: _falls(one, now, limit, seed) for one in earlier}
    found = dict(against[earlier[-1].iteration])
    for falls in against.values():
        for key, fall in falls.items():
            known = found.get(key)
            furthest = known is None or (
                known.against != earlier[-1].iteration and _depth(fall) > _depth(known)
            )
            if furthest:
                found[key] = fall
    return [found[key] for key in sorted(found)]


def _falls(before: Evaluation, now: Evaluation, limit: float, seed: int) -> dict[tuple[str, str], Regression]:
    falls = (
        fall
        for area, cases in areas_of(now.cases).items()
        for fall in _of_area(area, replace(now, cases=tuple(cases)), before, names_of(before, now), seed)
    )
    return {(one.area, one.measure): one for one in falls if _depth(one) > limit + _ROUNDING}


def _of_area(
    area: str, now: Evaluation, before: Evaluation, names: tuple[str, str], seed: int
) -> Iterator[Regression]:
    pairs = common(before, now)
    if not pairs:
        return
    old, new = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    same_truth = all(a.ground_truth == b.ground_truth for a, b in pairs)
    one_truth = {} if same_truth else on_one_truth(pairs, judged="precision" in names, seed=seed)
    for name in names:
        yield Regression(
            area,
            name,
            before.iteration,
            change(values_of(old, name), values_of(new, name), seed=seed),
            one_truth.get(name.removesuffix("_union")),
            explorer_names(old) == explorer_names(new),
            tuple(one.iteration for one in (before, now) if unreliable(one.cases)),
        )


def unreliable(cases: Sequence[Case]) -> bool:
    """Whether more verdicts failed than figures can bear."""
    return (share_failed(cases) or 0) > MOST_FAILED


def _depth(fall: Regression) -> float:
    difference = fall.decisive.difference
    return 0.0 if difference is None else -difference
