"""Distractors: the units that stand beside a target, by level of difficulty.

What is drawn because it is near is drawn around an anchor: a unit that is no option, and among whose
neighbours the target is. Around the target itself it would be the one in the middle: whoever picks the option
that is most like the others finds it without the summary, and given another unit's summary hardly ever.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

import numpy as np

from tellapart.contrastive.selection.candidates import (
    Candidates,
    DistractorSet,
    InsufficientDistractors,
    Ranked,
)
from tellapart.contrastive.selection.levels import ORIGINAL, POOL, Level
from tellapart.contrastive.selection.original import BASELINE, choose_by_original_method
from tellapart.core.arrays import I64
from tellapart.core.progress import SILENT, Progress
from tellapart.core.randomness import generator

FALLBACK = ("same_type", "random")
"""What fills a shortfall, best first; a level that draws on neighbours takes the ``nearest`` before."""

CENTRED = ("semantic", "signature")
"""Strategies that draw what is near to one unit, as the first of a recipe."""

TRIES = 4
"""Anchors that are tried for an item: most of them would draw the target, too."""

_TARGETS_AT_ONCE = 256

_NOBODY = np.empty(0, dtype=np.int64)

_LOOK_AT = 24
"""Candidates checked at a time: more than most quotas, fewer than a list."""


def choose_distractors(
    candidates: Candidates,
    targets: Sequence[int],
    levels: Sequence[Level],
    *,
    seed: int,
    progress: Progress = SILENT,
) -> tuple[list[DistractorSet], list[InsufficientDistractors]]:
    """Choose distractors for every target at every level, with a generator of its own for each draw.

    Candidates are of the target's language and type; where those are fewer than a level wants, of its
    language.
    """
    results: dict[tuple[int, str], DistractorSet | InsufficientDistractors] = {}
    with progress.step("choosing distractors", len(targets) * len(levels), unit="items") as step:
        if ORIGINAL in levels:
            for item in choose_by_original_method(candidates, targets, BASELINE, seed=seed):
                results[item.target, ORIGINAL.name] = replace(item, level=ORIGINAL.name)
        others = [level for level in levels if level != ORIGINAL]
        for same_type, group_levels, group in _groups(candidates, targets, others):
            pool = candidates.pool(group[0], same_type=same_type)
            drawn = [level for level in group_levels if level.recipe]
            chosen = [_draw_all(candidates, group, pool, drawn, seed)]
            chosen += [
                choose_pool(candidates, group, pool, level)
                if level == POOL
                else choose_ladder(candidates, group, pool, level, seed)
                for level in group_levels
                if not level.recipe
            ]
            for item in chain.from_iterable(chosen):
                results[item.target, item.level] = item
                step.update(len(results))
    in_order = [results[target, level.name] for target in targets for level in levels]
    return (
        [item for item in in_order if isinstance(item, DistractorSet)],
        [item for item in in_order if isinstance(item, InsufficientDistractors)],
    )


def _draw_all(
    candidates: Candidates, targets: Sequence[int], pool: I64, levels: Sequence[Level], seed: int
) -> Iterator[DistractorSet | InsufficientDistractors]:
    """Draw the items of the levels that have a recipe, each around its anchor; see ``_anchors``."""
    if not levels:
        return
    strategies = {strategy for level in levels for strategy, _ in level.recipe}
    own = candidates.ranked(np.array(targets), pool, strategies & {*CENTRED}, seed=seed)
    tried = {
        (target, level.name): _anchors(candidates, own[target], target, level, len(pool), seed)
        for level in levels
        for target in targets
    }
    anchors = np.unique([anchor for each in tried.values() for anchor in each])
    ranked = candidates.ranked(anchors, pool, strategies, seed=seed)
    for level in levels:
        for target in targets:
            near = [
                _Draw(candidates, target, level, anchor, ranked[anchor], len(pool))
                for anchor in tried[target, level.name]
            ]
            draw = next((draw for draw in near if draw.would_draw_target()), near[0])
            yield draw.fill(generator(seed, level.name, candidates.units[target].id))


def _anchors(
    candidates: Candidates, own: Ranked, target: int, level: Level, pooled: int, seed: int
) -> list[int]:
    """Units that an item may be drawn around: some neighbours of the target at random, else the target."""
    centre = level.recipe[0][0]
    if centre not in CENTRED:
        return [target]
    rng = generator(seed, "anchor", candidates.units[target].id)
    draw = _Draw(candidates, target, level, target, own, pooled)
    offered = rng.permutation(draw.reach(centre))
    free, _ = candidates.free(target, offered)
    return [unit for unit in free.tolist() if unit in candidates.summaries][:TRIES] or [target]


def _groups(
    candidates: Candidates, targets: Sequence[int], levels: Sequence[Level]
) -> Iterator[tuple[bool, tuple[Level, ...], list[int]]]:
    """Targets that share a pool, and its levels: their type where its units suffice, else their language."""
    groups: dict[tuple[bool, str, str, tuple[Level, ...]], list[int]] = defaultdict(list)
    for target in targets:
        unit = candidates.units[target]
        others = len(candidates.pool(target, same_type=True)) - 1
        for same_type in (True, False):
            served = tuple(level for level in levels if (others >= level.count) is same_type)
            if served:
                groups[same_type, unit.language, unit.type if same_type else "", served].append(target)
    for (same_type, _, _, served), group in groups.items():
        yield same_type, served, group


class _Draw:
    """One target at one level: strategies take turns around an anchor until the quota is filled."""

    def __init__(
        self, candidates: Candidates, target: int, level: Level, anchor: int, ranked: Ranked, pooled: int
    ) -> None:
        self._candidates, self._target, self._level = candidates, target, level
        self._anchor, self._ranked, self._pooled = anchor, ranked, pooled
        self._is_semantic = any(strategy == "semantic" for strategy, _ in level.recipe)
        self._taken: dict[int, tuple[str, float]] = {}

    def would_draw_target(self) -> bool:
        """Whether the target is among those that the main strategy draws from."""
        centre = self._level.recipe[0][0]
        return centre not in CENTRED or self._target in self.reach(centre)

    def reach(self, strategy: str) -> I64:
        """What ``semantic`` or ``signature`` draws from, nearest first."""
        if strategy == "signature":
            return self._ranked.signature[: self._level.count + 1]
        if self._level.band is None:
            first, last = self._level.window_for(self._pooled - 1)
            return self._ranked.semantic[first - 1 : last]
        low, high = self._level.band
        similarity = self._candidates.similarity(self._anchor, self._ranked.semantic)
        inside = (similarity >= low) & (similarity < high)
        return self._ranked.semantic[inside][np.argsort(-similarity[inside], kind="stable")]

    def fill(self, rng: np.random.Generator) -> DistractorSet | InsufficientDistractors:
        """Draw the whole set, in the order of the recipe and then of the fallbacks."""
        for strategy, quota in self._level.quotas():
            self._take(strategy, quota, rng)
        for fallback in (*(("nearest",) if self._is_semantic else ()), *FALLBACK):
            self._take(fallback, self._level.count - len(self._taken), rng)
        if len(self._taken) < self._level.count:
            return InsufficientDistractors(
                self._target, self._level.name, self._level.count, len(self._taken)
            )
        strategies, similarities = zip(*self._taken.values(), strict=True)
        # Adding nothing makes -0 a 0: which of them noise around 0 becomes, differs between processors.
        rounded = tuple((np.round(similarities, 9) + 0.0).tolist())
        return DistractorSet(self._target, self._level.name, tuple(self._taken), strategies, rounded)

    def _take(self, strategy: str, quota: int, rng: np.random.Generator) -> None:
        """Take the first ``quota`` of a strategy that are neither taken nor false negatives."""
        wanted = len(self._taken) + quota
        offered = self._offered(strategy, rng) if quota > 0 else _NOBODY
        for at in range(0, len(offered), _LOOK_AT):
            if len(self._taken) == wanted:
                return
            free, similarities = self._candidates.free(self._target, offered[at : at + _LOOK_AT])
            of_candidate = zip(free.tolist(), similarities.tolist(), strict=True)
            fresh = (
                (i, (strategy, similarity))
                for i, similarity in of_candidate
                if i not in self._taken and i != self._anchor
            )
            self._taken.update(list(islice(fresh, wanted - len(self._taken))))

    def _offered(self, strategy: str, rng: np.random.Generator) -> I64:
        """Candidates of a strategy in the order in which it would take them."""
        match strategy:
            case "semantic":
                near = self.reach("semantic")
                return near if self._level.band else rng.permutation(near)
            case "nearest":
                return self._ranked.semantic
            case "signature":
                return self._ranked.signature
            case "partial":
                return self._ranked.partial
            case "same_file":
                return rng.permutation(self._candidates.in_file(self._anchor))
            case "same_type":
                return _some(self._candidates.pool(self._target, same_type=True), rng)
            case "random":
                return _some(self._candidates.pool(self._target, same_type=False), rng)
            case _:
                raise ValueError(f"there is no strategy {strategy!r}")


def _some(pool: I64, rng: np.random.Generator, enough: int = 128) -> I64:
    """Distinct members of ``pool`` in random order: all of a small pool, about ``enough`` of a large one."""
    if len(pool) <= 4 * enough:
        return rng.permutation(pool)
    drawn = rng.integers(0, len(pool), size=enough)
    _, first = np.unique(drawn, return_index=True)
    return pool[drawn[np.sort(first)]]


def choose_pool(
    candidates: Candidates, targets: Sequence[int], pool: I64, level: Level
) -> Iterator[DistractorSet | InsufficientDistractors]:
    """Take every free unit of the pool; nothing chose them, so none has a strategy or a similarity."""
    for target in targets:
        free, _ = candidates.free(target, pool)
        if len(free) < level.count:
            yield InsufficientDistractors(target, level.name, level.count, len(free))
        else:
            yield DistractorSet(target, level.name, tuple(free.tolist()), (), ())


def choose_ladder(
    candidates: Candidates, targets: Sequence[int], pool: I64, level: Level, seed: int
) -> Iterator[DistractorSet | InsufficientDistractors]:
    """Take the free units at geometrically spaced ranks of the selector's order around an anchor.

    The anchor is at one of these ranks around the target, and the target takes the rung nearest to its own
    rank around the anchor: it is on any rung as often as on another.
    """
    for at in range(0, len(targets), _TARGETS_AT_ONCE):
        block = targets[at : at + _TARGETS_AT_ONCE]
        orders = candidates.selector.neighbours(np.array(block), pool, len(pool))
        anchors = [
            _rung_at_random(candidates, target, order, level, seed)
            for target, order in zip(block, orders, strict=True)
        ]
        orders = candidates.selector.neighbours(np.array(anchors), pool, len(pool))
        for target, anchor, order in zip(block, anchors, orders, strict=True):
            yield _ladder(candidates, target, anchor, order[order >= 0], level)


def _rung_at_random(candidates: Candidates, target: int, order: I64, level: Level, seed: int) -> int:
    """A unit at one of the ladder's ranks in the order around a target; the target where there is none."""
    free, _ = candidates.free(target, order[order >= 0])
    known = [unit for unit in free.tolist() if unit in candidates.summaries]
    rungs = rungs_of(len(known), level.count + 1) - 1
    rng = generator(seed, level.name, "anchor", candidates.units[target].id)
    return known[rng.choice(rungs)] if len(rungs) else target


def _ladder(
    candidates: Candidates, target: int, anchor: int, order: I64, level: Level
) -> DistractorSet | InsufficientDistractors:
    """Take the units on the rungs of the order around an anchor, but for the rung that is the target's."""
    free, similarities = candidates.free(target, order)
    if anchor == target:
        rungs = rungs_of(len(free), level.count) - 1
    else:
        rank = np.isin(order[: np.argmax(order == target)], free).sum()
        rungs = rungs_of(len(free) + 1, level.count + 1) - 1
        rungs = np.delete(rungs, np.abs(np.log((rungs + 1) / (rank + 1))).argmin())
        rungs = rungs - (rungs > rank)
    if len(rungs) < level.count:
        return InsufficientDistractors(target, level.name, level.count, len(free))
    rounded = tuple((np.round(similarities[rungs], 9) + 0.0).tolist())
    names = (level.name.partition(":")[0],) * level.count
    return DistractorSet(target, level.name, tuple(free[rungs].tolist()), names, rounded)


def rungs_of(ranks: int, count: int) -> I64:
    """Spread ``count`` distinct ranks geometrically from 1 to ``ranks``; all ranks where there are fewer."""
    if ranks <= count:
        return np.arange(1, ranks + 1)
    rungs = np.floor(np.geomspace(1, ranks, count) + 0.5).astype(np.int64)
    steps = np.arange(count)
    # Ranks that round to the same one move on to the next.
    return np.maximum.accumulate(rungs - steps) + steps
