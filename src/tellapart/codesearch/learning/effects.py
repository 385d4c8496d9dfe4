"""What the figures would have been without some of our files: the recorded iteration, counted once more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tellapart.codesearch.case import Case
from tellapart.codesearch.learning.labels import Basis
from tellapart.codesearch.metrics.conversation import MEASURES
from tellapart.core.stats import mean_once

_NAMES: Mapping[Basis, tuple[str, str]] = {
    "judged": ("precision", "recall"),
    "union": ("precision_union", "recall_union"),
}


@dataclass(frozen=True)
class Effect:
    """Means over conversations before and after, by measure, of the whole and by product area.

    Attributes:
        whole: Measure to (before, after); None where no conversation has it.
        areas: Area to the same, only those in which something changes.
    """

    whole: Mapping[str, tuple[float | None, float | None]]
    areas: Mapping[str, Mapping[str, tuple[float | None, float | None]]]

    def hurt(self) -> dict[str, dict[str, float]]:
        """Areas in which a measure would fall: by area and measure by how much, below 0."""
        falls: dict[str, dict[str, float]] = {}
        for area, measures in self.areas.items():
            for name, (before, after) in measures.items():
                if before is not None and after is not None and after < before:
                    falls.setdefault(area, {})[name] = after - before
        return falls

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return {name: {"before": before, "after": after} for name, (before, after) in self.whole.items()}


def effect_of(cases: Sequence[Case], basis: Basis, without: Callable[[Case], Collection[str]]) -> Effect:
    """Count once more without some of our files.

    Args:
        cases: In any order.
        basis: Whether the judged measures are compared, or those that need no verdict.
        without: Which of our files go, of each conversation.

    Returns:
        Where a conversation loses all its files, its precision is undefined and no longer in the mean.
    """
    after = [_without(case, without(case)) for case in cases]
    areas = sorted({case.conversation.product_area for case in cases})
    changed = {
        area: _means(
            [one for one in cases if _area(one) == area], [one for one in after if _area(one) == area], basis
        )
        for area in areas
    }
    return Effect(
        _means(cases, after, basis),
        {area: means for area, means in changed.items() if any(a != b for a, b in means.values())},
    )


def _without(case: Case, gone: Collection[str]) -> Case:
    kept = tuple(file for file in case.result.files if file not in gone)
    return replace(case, result=replace(case.result, files=kept))


def _area(case: Case) -> str:
    return case.conversation.product_area


def _means(
    before: Sequence[Case], after: Sequence[Case], basis: Basis
) -> dict[str, tuple[float | None, float | None]]:
    return {name: (_mean(before, name), _mean(after, name)) for name in _NAMES[basis]}


def _mean(cases: Sequence[Case], name: str) -> float | None:
    values = [value for case in cases if (value := MEASURES[name](case).value) is not None]
    return mean_once(values)
