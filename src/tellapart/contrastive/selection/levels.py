"""The levels of difficulty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

from tellapart.errors import UsageError, near_match

Strategy = Literal["random", "same_type", "signature", "semantic", "same_file", "partial"]

MOST = 99
"""Most distractors of an item."""

LARGE = 1000
"""Candidates from which the calibrated windows hold as they stand; with fewer they shrink in proportion."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level: ``count`` distractors of an item, of ``pool`` the fewest, drawn by a recipe.

    The recipe has strategies with their shares, in the order in which they are filled; ``original``,
    ``ladder`` and ``pool`` draw in ways of their own. ``semantic`` draws from the ranks of the ``window`` in
    the anchor's neighbour list, or by similarity within a ``band``.

    Source: "Contrastive Evaluation Analysis", recommendations 2.1, 3.1 and 3.2; windows by rank, since
    absolute bands leave almost every target of CPython's standard library without candidates.
    """

    name: str
    count: int
    recipe: tuple[tuple[Strategy, float], ...]
    window: tuple[int, int] = (1, 1)
    band: tuple[float, float] | None = None

    def quotas(self) -> list[tuple[Strategy, int]]:
        """Split ``count`` by the recipe: shares are rounded up while there is room."""
        left, split = self.count, []
        for strategy, share in self.recipe:
            quota = min(left, ceil(round(self.count * share, 9)))
            split.append((strategy, quota))
            left -= quota
        return split

    def window_for(self, candidates: int) -> tuple[int, int]:
        """The window scaled to a pool, never narrower than the number of distractors wanted."""
        scale = min(1.0, candidates / LARGE)
        first = max(1, round(self.window[0] * scale))
        return first, max(round(self.window[1] * scale), first + self.count - 1)


LEVELS = (
    Level("trivial", 4, (("random", 1.0),)),
    Level("easy", 4, (("same_type", 1.0),)),
    Level("medium", 9, (("signature", 1.0),)),
    Level("hard", 9, (("semantic", 0.5), ("same_file", 0.3), ("signature", 0.2)), (5, 50)),
    Level("very_hard", 19, (("semantic", 0.7), ("same_file", 0.3)), (3, 40)),
    Level("adversarial", 19, (("semantic", 0.8), ("partial", 0.2)), (1, 30)),
)
"""The diagnostic curve, in ascending order of difficulty."""

ORIGINAL = Level("original", 4, ())
"""The original method: four distractors, mostly random ones; the same as the set-up ``baseline``."""

LADDER = Level("ladder", 19, ())
"""Units at geometrically spaced ranks of the order around an anchor: near, middle and far ones."""

POOL = Level("pool", 19, ())
"""Every unit of the pool: a search, for models that rank thousands of units cheaply."""

BUILT = (*LEVELS, LADDER, POOL)
"""What a benchmark has where nobody names levels."""

_BANDS = {"hard": (0.75, 0.90), "very_hard": (0.80, 0.95), "adversarial": (0.85, 0.98)}

NAMED = {
    level.name: level
    for level in (
        ORIGINAL,
        *LEVELS,
        *(
            replace(level, name=f"{level.name}_absolute", band=_BANDS[level.name])
            for level in LEVELS
            if level.name in _BANDS
        ),
        LADDER,
        POOL,
    )
}
"""Every level that a name alone gives, in the order of reports."""

LEVEL_NAMES = [level.name for level in LEVELS]

SET_UPS = ("baseline", "phase1")
"""The set-ups that ``validate`` holds beside the levels."""

_FORMS = "Expected LEVEL or LEVEL:COUNT, such as hard or adversarial:9"


def levels_named(names: Sequence[str] | None) -> tuple[Level, ...]:
    """Make the levels that are named; ``BUILT`` for None."""
    if names is None:
        return BUILT
    levels: dict[str, Level] = {}
    for text in names:
        level = level_called(text)
        levels[level.name] = level
    return tuple(levels[name] for name in in_order(levels))


def in_order(names: Iterable[str]) -> list[str]:
    """Put names of levels in ascending order of difficulty, the set-ups that are no levels first."""
    return sorted(names, key=_place)


def declared(names: Iterable[str], *, for_llms: bool = False) -> str:
    """The level that a verdict is about: the pool, for language models the ladder, else the hardest."""
    ordered = in_order(name for name in names if not (for_llms and name == POOL.name))
    for wanted in ((POOL.name,), (LADDER.name,), LEVEL_NAMES):
        if there := [name for name in ordered if name.partition(":")[0] in wanted]:
            return there[-1]
    return ordered[-1]


def _place(name: str) -> tuple[int, int, str]:
    base, _, count = name.partition(":")
    if base in SET_UPS:
        return -1, SET_UPS.index(base), name
    if base in NAMED:
        return list(NAMED).index(base), int(count) if count.isdecimal() else NAMED[base].count, name
    return len(NAMED), 0, name


def level_called(text: str) -> Level:
    """Make a level by its name alone."""
    name, colon, count = text.partition(":")
    if name not in NAMED:
        raise UsageError(f"there is no level {name!r}", next_step=near_match(name, NAMED))
    level = NAMED[name]
    if not colon:
        return level
    if level in (ORIGINAL, POOL):
        raise UsageError(
            f"{text!r} has a number of distractors, and that of {name!r} is fixed", next_step=_FORMS
        )
    if not count.isdecimal() or not 1 <= int(count) <= MOST:
        raise UsageError(
            f"{text!r} has {count or 'no'} distractors, expected a number from 1 to {MOST}", next_step=_FORMS
        )
    return replace(level, name=text, count=int(count))
