"""What the figures would have been without some of our files: the recorded iteration, counted once more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tellapart.codesearch.case import Case
from tellapart.codesearch.learning.known import Known
from tellapart.codesearch.learning.labels import Basis
from tellapart.codesearch.metrics.conversation import MEASURES
from tellapart.core.comparison import paired_effect
from tellapart.core.stats import mean_once

NAMES: Mapping[Basis, tuple[str, str]] = {
    "judged": ("precision", "recall"),
    "union": ("precision_union", "recall_union"),
}
"""The two measures that are counted once more."""

_TIE = 1e-12

Without = Callable[[Known], Collection[str]]


@dataclass(frozen=True)
class Change:
    """One measure before and after.

    Attributes:
        before: Mean over the conversations that have it; None where none has.
        after: Likewise, as the next iteration would report it.
        difference: Mean of after - before over the ``conversations`` that have both; None without any.
        interval: Its 95 % interval, which holds 0 exactly where ``p`` is above 5 %; None where the
            conversations are too few.
        p: Two-sided, of no change; see `core.comparison.paired_effect`. None below two conversations.
        conversations: Those that have a value before and after.
    """

    before: float | None
    after: float | None
    difference: float | None
    interval: tuple[float, float] | None
    p: float | None
    conversations: int

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return vars(self) | {"interval": list(self.interval) if self.interval else None}


@dataclass(frozen=True)
class Effect:
    """The measures of the whole and by product area, and what would be lost.

    Attributes:
        whole: By measure.
        areas: By area and measure (before, after).
        relevant_lost: By area, relevant files that would be gone; only areas with some.
        emptied: Conversations that would be left without a file, in order; their precision is undefined and
            no longer in the mean.
    """

    whole: Mapping[str, Change]
    areas: Mapping[str, Mapping[str, tuple[float | None, float | None]]]
    relevant_lost: Mapping[str, int]
    emptied: tuple[str, ...]

    @property
    def precision(self) -> Change:
        """The first of the two measures."""
        return next(iter(self.whole.values()))

    def hurt(self) -> dict[str, dict[str, float]]:
        """Areas in which a measure would fall, by how much, below 0; and relevant files lost there."""
        falls: dict[str, dict[str, float]] = {}
        for area, measures in sorted(self.areas.items()):
            own = {
                name: after - before
                for name, (before, after) in measures.items()
                if before is not None and after is not None and after < before - _TIE
            }
            lost = self.relevant_lost.get(area, 0)
            if own or lost:
                falls[area] = own | ({"relevant_lost": lost} if lost else {})
        return falls

    def record(self) -> dict[str, Any]:
        """What JSON has of it: the measures of the whole."""
        return {name: change.record() for name, change in self.whole.items()}


def effect_of(known: Sequence[Known], basis: Basis, without: Without, seed: int) -> Effect:
    """Count once more without some of our files; nothing takes their place.

    Args:
        known: In the order of ids.
        basis: Whether the judged measures are compared, or those that need no verdict.
        without: Which of our files go, of each conversation.
        seed: Of the signs that are drawn where they are too many to count.
    """
    gone = [frozenset(without(one)) for one in known]
    before = [one.case for one in known]
    after = [_without(one.case, files) for one, files in zip(known, gone, strict=True)]
    lost: dict[str, int] = {}
    for one, files in zip(known, gone, strict=True):
        if count := len(one.labels.relevant & files):
            lost[one.area] = lost.get(one.area, 0) + count
    areas = sorted({one.area for one in known})
    emptied = [
        one.id for one, case in zip(known, after, strict=True) if one.case.result.files and not case.ours
    ]
    return Effect(
        {name: _change(before, after, name, seed) for name in NAMES[basis]},
        {area: _of_area(before, after, area, basis) for area in areas},
        lost,
        tuple(emptied),
    )


def _without(case: Case, gone: Collection[str]) -> Case:
    kept = tuple(file for file in case.result.files if file not in gone)
    return replace(case, result=replace(case.result, files=kept))


def _change(before: Sequence[Case], after: Sequence[Case], name: str, seed: int) -> Change:
    pairs = [(MEASURES[name](a).value, MEASURES[name](b).value) for a, b in zip(before, after, strict=True)]
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    old, new = (np.array([pair[k] for pair in both], dtype=np.float64) for k in (0, 1))
    found = paired_effect(new, old, seed=seed)
    return Change(
        mean_once([a for a, _ in pairs if a is not None]),
        mean_once([b for _, b in pairs if b is not None]),
        mean_once((new - old).tolist()),
        (found.interval.low, found.interval.high) if found.interval else None,
        found.p,
        len(both),
    )


def _of_area(
    before: Sequence[Case], after: Sequence[Case], area: str, basis: Basis
) -> dict[str, tuple[float | None, float | None]]:
    own = [[case for case in cases if case.conversation.product_area == area] for cases in (before, after)]
    return {name: (_mean(own[0], name), _mean(own[1], name)) for name in NAMES[basis]}


def _mean(cases: Sequence[Case], name: str) -> float | None:
    values = [value for case in cases if (value := MEASURES[name](case).value) is not None]
    return mean_once(values)
