"""The six levels of difficulty."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Literal

from tellapart.errors import UsageError, near_match

Strategy = Literal["random", "same_type", "signature", "semantic", "same_file", "partial"]
Bands = Literal["calibrated", "absolute"]

LARGE = 1000
"""Candidates from which the calibrated windows hold as they stand; with fewer they shrink in proportion."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level.

    Attributes:
        name: As users type it.
        count: Distractors of an item.
        recipe: Strategies with their shares, which sum to 1, in the order in which they are filled.
        window: First and last rank in the target's own neighbour list, from 1, that ``semantic`` draws from.
        band: Lowest similarity, and the one it must stay under, under ``--bands absolute``.

    Source:
        "Contrastive Evaluation Analysis", recommendations 2.1, 3.1 and 3.2. The windows were calibrated on
        CPython's standard library, where absolute bands leave almost every target without candidates: with
        them BM25, TF-IDF and LSA score what they scored on ranks 10 to 100, 5 to 60 and 1 to 30 of lists
        that were full of hubs.
    """

    name: str
    count: int
    recipe: tuple[tuple[Strategy, float], ...]
    window: tuple[int, int] = (1, 1)
    band: tuple[float, float] = (0.0, 1.0)

    def quotas(self) -> list[tuple[Strategy, int]]:
        """Split ``count`` by the recipe: shares are rounded up while there is room."""
        left, split = self.count, []
        for strategy, share in self.recipe:
            quota = min(left, ceil(round(self.count * share, 9)))
            split.append((strategy, quota))
            left -= quota
        return split

    def window_for(self, candidates: int) -> tuple[int, int]:
        """The window scaled to a pool, never narrower than the number of distractors wanted.

        Args:
            candidates: How many units the target's neighbour list ranks.

        Returns:
            First and last rank, both included, from 1; the last may exceed ``candidates``.
        """
        scale = min(1.0, candidates / LARGE)
        first = max(1, round(self.window[0] * scale))
        return first, max(round(self.window[1] * scale), first + self.count - 1)


LEVELS = (
    Level("trivial", 4, (("random", 1.0),)),
    Level("easy", 4, (("same_type", 1.0),)),
    Level("medium", 9, (("signature", 1.0),)),
    Level("hard", 9, (("semantic", 0.5), ("same_file", 0.3), ("signature", 0.2)), (5, 50), (0.75, 0.90)),
    Level("very_hard", 19, (("semantic", 0.7), ("same_file", 0.3)), (3, 40), (0.80, 0.95)),
    Level("adversarial", 19, (("semantic", 0.7), ("partial", 0.3)), (1, 30), (0.85, 0.98)),
)
"""In ascending order of difficulty."""


def levels_named(names: list[str] | None) -> tuple[Level, ...]:
    """Pick levels, in ascending order of difficulty; all of them for None.

    Raises:
        UsageError: A name is unknown.
    """
    level_of = {level.name: level for level in LEVELS}
    for name in names or ():
        if name not in level_of:
            raise UsageError(f"there is no level {name!r}", next_step=near_match(name, level_of))
    return tuple(level for level in LEVELS if names is None or level.name in names)
