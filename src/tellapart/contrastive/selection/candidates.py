"""Which units may stand beside a target, and how much each is like it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tellapart.contrastive.selection.neighbours import inner_products, sample_of
from tellapart.contrastive.selection.partial import LONGEST, SHORTEST, Concepts
from tellapart.contrastive.selection.signatures import signature_similarities
from tellapart.core.arrays import F64, I64
from tellapart.core.randomness import generator
from tellapart.extraction.unit import Unit

if TYPE_CHECKING:
    from tellapart.contrastive.selection.selectors import Selector

SAME = 0.98
"""Selector similarity from which a unit is a copy of the target: a false negative, never a distractor."""

LISTED = 128
"""Length of a target's list of nearest units, nearest signatures and partial matches."""

PAIRS = 40
"""Units that each unit of the sample is compared with, to know how alike any two are."""

_BLOCK = 256


@dataclass(frozen=True)
class Ranked:
    """Lists of candidates around one unit, nearest first; ``partial`` may hold the unit itself."""

    semantic: I64
    signature: I64
    partial: I64


@dataclass(frozen=True, slots=True)
class DistractorSet:
    """Positions of the distractors of one target, in the order chosen; a whole pool has no strategies."""

    target: int
    level: str
    distractors: tuple[int, ...]
    strategies: tuple[str, ...]
    similarities: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class InsufficientDistractors:
    """A target that has too few candidates at a level: counted, and no question."""

    target: int
    level: str
    wanted: int
    available: int


class Candidates:
    """Units as candidates for one another; a position is an index into them."""

    def __init__(
        self,
        units: Sequence[Unit],
        summaries: Mapping[int, str],
        selector: Selector,
        *,
        cross_language: bool = False,
    ) -> None:
        """Index the units."""
        self.units, self.summaries, self.selector = units, summaries, selector
        pools: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self._files: dict[str, list[int]] = defaultdict(list)
        self._file_of = np.unique([unit.path for unit in units], return_inverse=True)[1]
        self._same_summary: dict[str, list[int]] = defaultdict(list)
        for position, unit in enumerate(units):
            language = "" if cross_language else unit.language
            pools[language,].append(position)
            pools[language, unit.type].append(position)
            self._files[unit.path].append(position)
            for line in summaries.get(position, "").splitlines():
                self._same_summary[line].append(position)
        self._pools = {key: np.array(members, dtype=np.int64) for key, members in pools.items()}
        self._cross_language = cross_language
        self._lengths = np.array([len(unit.content) for unit in units], dtype=np.int64)

    def pool(self, target: int, *, same_type: bool) -> I64:
        """Units of the target's language, of any or of its own type; ascending, the target included."""
        unit = self.units[target]
        language = "" if self._cross_language else unit.language
        return self._pools[(language, unit.type) if same_type else (language,)]

    def in_file(self, position: int) -> I64:
        """Units of the same file and type."""
        unit = self.units[position]
        return np.array(
            [i for i in self._files[unit.path] if self.units[i].type == unit.type], dtype=np.int64
        )

    def is_in_file(self, target: int, others: I64) -> npt.NDArray[np.bool_]:
        """Which of ``others`` are of the target's file, whatever their type."""
        return np.asarray(self._file_of[others] == self._file_of[target])

    def similarity(self, target: int, others: I64) -> F64:
        """Selector similarity of the target and each of ``others``, in [-1, 1], as float64."""
        vectors = self.selector.vectors
        return inner_products(vectors[target], vectors[others])

    def percentiles(self, similarities: Sequence[float]) -> F64:
        """Which share of random pairs of units is less alike than each of ``similarities``."""
        return np.searchsorted(self._usual, np.round(similarities, 9)) / max(len(self._usual), 1)

    @cached_property
    def _usual(self) -> F64:
        """Similarities of random pairs, ascending."""
        drawn: list[F64] = []
        for target in sample_of([unit.id for unit in self.units]).tolist():
            pool = self.pool(target, same_type=False)
            rng = generator(0, "random pairs", self.units[target].id)
            others = pool[rng.integers(0, len(pool), size=PAIRS)]
            drawn.append(self.similarity(target, others[others != target]))
        return np.sort(np.round(np.concatenate(drawn), 9))

    def free(self, target: int, others: I64) -> tuple[I64, F64]:
        """Those of ``others`` that would be no second right answers, and their selector similarities."""
        similarity = self.similarity(target, others)
        is_free = (similarity < SAME) & ~np.isin(others, list(self._barred(target)))
        return others[is_free], similarity[is_free]

    def _barred(self, target: int) -> set[int]:
        unit = self.units[target]
        overlapping = (
            i
            for i in self._files[unit.path]
            if self.units[i].start_line <= unit.end_line and unit.start_line <= self.units[i].end_line
        )
        twins = (self._same_summary[line] for line in self.summaries.get(target, "").splitlines())
        return {target, *overlapping, *chain.from_iterable(twins)}

    def ranked(self, targets: I64, pool: I64, strategies: Collection[str], *, seed: int) -> dict[int, Ranked]:
        """The lists around units that share ``pool``; one that no strategy uses is left empty."""
        nobody = [np.empty(0, dtype=np.int64)] * len(targets)
        semantic = partial = signature = nobody
        if "semantic" in strategies:
            lists = self.selector.neighbours(targets, pool, LISTED)
            semantic = [near[near >= 0] for near in lists]
        if "partial" in strategies:
            partial = self._partial(targets, pool)
        if "signature" in strategies:
            signature = self._signatures(targets, pool, seed)
        return dict(zip(targets.tolist(), map(Ranked, semantic, signature, partial), strict=True))

    def _partial(self, targets: I64, pool: I64) -> list[I64]:
        """Partial matches of each target's summary from the whole pool, the nearest by the selector first."""
        summaries = [self.summaries[int(i)] for i in targets]
        matches_of = self._concepts.partial_matches(summaries, pool)
        nearest: list[I64] = []
        for target, partial in zip(targets.tolist(), matches_of, strict=True):
            ratio = self._lengths[partial] / self._lengths[target]
            matches = partial[(ratio >= SHORTEST) & (ratio <= LONGEST)]
            nearness = np.round(self.selector.nearness(target, matches), 5)
            nearest.append(matches[np.argsort(-nearness, kind="stable")[:LISTED]])
        return nearest

    @cached_property
    def _concepts(self) -> Concepts:
        return Concepts([unit.content for unit in self.units])

    def _signatures(self, targets: I64, pool: I64, seed: int) -> list[I64]:
        others = [self.units[i] for i in pool]
        lists: list[I64] = []
        for at in range(0, len(targets), _BLOCK):
            block = [self.units[i] for i in targets[at : at + _BLOCK]]
            for unit, similarities in zip(block, signature_similarities(block, others), strict=True):
                chance = generator(seed, "signatures", unit.id).random(len(pool))
                order = np.lexsort((chance, -np.round(similarities, 6)))
                lists.append(pool[order[:LISTED]])
        return lists
