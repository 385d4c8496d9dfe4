"""The six levels of difficulty, and levels of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, get_args

from tellapart.errors import UsageError, near_match

Strategy = Literal["random", "same_type", "signature", "semantic", "same_file", "partial"]

MOST = 99
"""Most distractors of an item."""

LARGE = 1000
"""Candidates from which the calibrated windows hold as they stand; with fewer they shrink in proportion."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level.

    Attributes:
        name: As users type it; ``LEVEL:COUNT`` for one of the six with another number of distractors.
        count: Distractors of an item.
        recipe: Strategies with their shares, which sum to 1, in the order in which they are filled.
        window: First and last rank in the target's own neighbour list, from 1, that ``semantic`` draws from.
        band: Lowest similarity, and the one it must stay under; None where ``semantic`` draws by rank.

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
    Level("adversarial", 19, (("semantic", 0.7), ("partial", 0.3)), (1, 30)),
)
"""In ascending order of difficulty."""

_BANDS = {"hard": (0.75, 0.90), "very_hard": (0.80, 0.95), "adversarial": (0.85, 0.98)}

ABSOLUTE_NAMES = {f"{name}_absolute": name for name in _BANDS}
"""Levels that draw by absolute similarity, as originally recommended, and their counterparts by rank."""

NAMED = {
    level.name: level
    for level in (
        *LEVELS,
        *(
            replace(level, name=f"{level.name}_absolute", band=_BANDS[level.name])
            for level in LEVELS
            if level.name in _BANDS
        ),
    )
}
"""Every level that a name alone gives; a band of similarity is not among those by default."""

LEVEL_NAMES = [level.name for level in LEVELS]

OWN_WINDOW = (1, 50)
"""What ``semantic`` draws from at a level of one's own, unless its ranks are given."""

SET_UPS = ("baseline", "phase1")
"""Names that a level cannot have: the set-ups that ``validate`` holds beside the levels."""

_OWN_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_SHARE = re.compile(r"(?P<strategy>[a-z_]+)(?:@(?P<first>\d+)-(?P<last>\d+))?:(?P<count>\d+)")
_FORMS = (
    "Expected LEVEL, LEVEL:COUNT or NAME=STRATEGY:COUNT+STRATEGY:COUNT, such as hard, adversarial:9 or "
    "near=semantic@1-30:14+same_file:5"
)


def levels_named(names: Sequence[str] | None) -> tuple[Level, ...]:
    """Make the levels that are named; all six for None."""
    if names is None:
        return LEVELS
    levels: dict[str, Level] = {}
    for text in names:
        level = _own(text) if "=" in text else _named(text)
        if levels.setdefault(level.name, level) != level:
            raise UsageError(f"two levels are called {level.name!r}", next_step="Give each its own name")
    return tuple(levels[name] for name in in_order(levels))


def level_called(name: str, own_levels: Mapping[str, str]) -> Level:
    """Make a level by its name alone; ``own`` has the recipes of levels of one's own."""
    return levels_named([f"{name}={own_levels[name]}" if name in own_levels else name])[0]


def is_own(level: Level) -> bool:
    """Whether a level is neither a named one nor a variant of one."""
    return level.name.partition(":")[0] not in NAMED


def written(level: Level) -> str:
    """Write a level so that ``levels_named`` makes the same of it."""
    return f"{level.name}={recipe_of(level)}" if is_own(level) else level.name


def recipe_of(level: Level) -> str:
    """Write where the distractors of a level come from, as for a level of one's own."""
    ranks = "@{}-{}".format(*level.window)
    return "+".join(
        f"{strategy}{ranks if strategy == 'semantic' else ''}:{quota}" for strategy, quota in level.quotas()
    )


def in_order(names: Iterable[str]) -> list[str]:
    """Put names of levels in ascending order of difficulty.

    Set-ups that are no levels come first, as they do in ``SET_UPS``; then the named ones, each with its
    variants by number of distractors; then levels of one's own, by name.
    """
    return sorted(names, key=_place)


def _place(name: str) -> tuple[int, int, str]:
    base, _, count = name.partition(":")
    if base in SET_UPS:
        return -1, SET_UPS.index(base), name
    if base in NAMED:
        return list(NAMED).index(base), int(count) if count.isdecimal() else NAMED[base].count, name
    return len(NAMED), 0, name


def _named(text: str) -> Level:
    name, colon, count = text.partition(":")
    if name not in NAMED:
        raise UsageError(f"there is no level {name!r}", next_step=near_match(name, NAMED))
    level = NAMED[name]
    return replace(level, name=text, count=_number(count, text)) if colon else level


def _own(text: str) -> Level:
    name, _, recipe = text.partition("=")
    if name in (*NAMED, *SET_UPS) or not _OWN_NAME.fullmatch(name):
        raise UsageError(
            f"a level of your own cannot be called {name!r}",
            next_step="Expected a name of lower-case letters, digits, _ and -, that is not taken: "
            f"{', '.join((*NAMED, *SET_UPS))}",
        )
    shares: dict[Strategy, int] = {}
    window = OWN_WINDOW
    for part in recipe.split("+"):
        share = _SHARE.fullmatch(part)
        if share is None:
            raise UsageError(f"{part!r} in --levels {text!r} is no part of a level", next_step=_FORMS)
        strategy = next(
            (candidate for candidate in get_args(Strategy) if candidate == share["strategy"]), None
        )
        if strategy is None:
            raise UsageError(
                f"there is no strategy {share['strategy']!r}",
                next_step=near_match(share["strategy"], get_args(Strategy)),
            )
        if strategy in shares:
            raise UsageError(f"{text!r} names the strategy {strategy!r} twice")
        if share["first"] is not None:
            window = (int(share["first"]), int(share["last"]))
            if strategy != "semantic" or not 1 <= window[0] < window[1]:
                raise UsageError(
                    f"{part!r} in --levels {text!r} gives ranks that cannot be used",
                    next_step="Only semantic has ranks, from 1, the lower first: semantic@1-30:9",
                )
        shares[strategy] = _number(share["count"], text)
    count = _number(str(sum(shares.values())), text)
    return Level(name, count, tuple((strategy, n / count) for strategy, n in shares.items()), window)


def _number(digits: str, text: str) -> int:
    if not digits.isdecimal() or not 1 <= int(digits) <= MOST:
        raise UsageError(
            f"{text!r} has {digits or 'no'} distractors, expected a number from 1 to {MOST}", next_step=_FORMS
        )
    return int(digits)
