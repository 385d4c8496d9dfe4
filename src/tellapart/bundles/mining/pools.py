"""Pools: for each anchor, the events of other senses that are most easily confused with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.bundles.mining.events import Events, Groups
from tellapart.bundles.mining.search import Space, search_pools
from tellapart.bundles.mining.settings import Settings
from tellapart.core.arrays import F32, I64
from tellapart.core.figure_units import COSINE, DOT, EUCLIDEAN, MANHATTAN
from tellapart.embed.vector_matcher import VectorSimilarity
from tellapart.embed.vector_pairs import code_of, squared_lengths


@dataclass(frozen=True)
class Families:
    """Senses with the same lemmas have the same siblings, which are kept once.

    Attributes:
        family_of: Shape (senses,).
        senses: Senses by family, those that share a lemma with it; a sense is in its own family's, unless it
            has no lemma, where the family is empty.
    """

    family_of: I64
    senses: Groups


def sibling_senses(events: Events) -> Families:
    """Find for each sense those that share a lemma with it, through any event of either."""
    senses_of = [np.unique(events.sense_of[events.by_lemma.of(lemma)]) for lemma in range(len(events.lemmas))]
    families: dict[tuple[int, ...], int] = {}
    family_of = []
    for sense in range(len(events.senses)):
        lemmas = np.unique(events.lemma_of[events.by_sense.of(sense)])
        family_of.append(families.setdefault(tuple(lemmas[lemmas >= 0].tolist()), len(families)))
    none = np.empty(0, dtype=np.int64)
    siblings = [
        np.unique(np.concatenate([none, *(senses_of[lemma] for lemma in lemmas)])) for lemmas in families
    ]
    offsets = np.cumsum([0, *map(len, siblings)]).astype(np.int64)
    return Families(np.array(family_of, dtype=np.int64), Groups(np.concatenate([none, *siblings]), offsets))


PARTS = ("lemma", "sibling", "across")
"""Where an event of a pool comes from, in the order in which a pool is filled."""

_CELLS_AT_ONCE = 1 << 24
_UNIT_ROUNDOFF = 2.0**-24
_TELLABLE = 1e-25, 1e37


@dataclass(frozen=True)
class Pools:
    """Pools of several anchors.

    Attributes:
        events: Shape (anchors, most events a pool can have), in the order in which the pool was filled;
            -1 beyond ``sizes``.
        parts: Same shape, positions in ``PARTS``.
        sizes: Shape (anchors,).
    """

    events: NDArray[np.int32]
    parts: NDArray[np.int8]
    sizes: I64


class PoolSearch:
    """Finds pools; safe to use from several threads.

    The pool of an anchor holds, nearest first in each part and each content once:

    1. ``lemma``: the nearest events that have the anchor's lemma;
    2. ``sibling``: the nearest further event of each of the nearest sibling senses, which are those that
       share a lemma with the anchor's sense through any of their events, so that one crowded sense does not
       hide the others;
    3. ``across``: the nearest events of any other lemma or of none.

    An event of the anchor's sense, or with the content of any event of that sense, is in none of them: it
    could be a second right answer. An event without lemma shares its lemma with none, so that its pool may
    consist of the last part alone. Equally near events go by their id.
    """

    def __init__(self, events: Events, similarity: VectorSimilarity, settings: Settings) -> None:
        """Search among ``events``."""
        self._queries, documents = similarity.anchors.vectors, similarity.options.vectors
        self._coarse = _Coarse(similarity)
        self._sizes = (settings.within_lemma, settings.sibling_senses, settings.across_lemmas)
        families = sibling_senses(events)
        self._space = Space(
            documents,
            events.text_of,
            events.content_of,
            events.sense_of,
            events.lemma_of,
            events.by_sense.members,
            events.by_sense.offsets,
            events.by_lemma.members,
            events.by_lemma.offsets,
            families.family_of,
            families.senses.members,
            families.senses.offsets,
        )
        self._code = code_of(similarity.unit)

    def find(self, anchors: I64) -> Pools:
        """Find the pools of some anchors.

        The search is exact: single precision, whose error has a bound, only decides which similarities can
        matter, and these are computed as ``VectorSimilarity`` computes them.
        """
        width = sum(self._sizes)
        events = np.full((len(anchors), width), -1, dtype=np.int32)
        parts = np.zeros((len(anchors), width), dtype=np.int8)
        sizes = np.zeros(len(anchors), dtype=np.int64)
        for block in self._blocks(len(anchors)):
            rows = self._queries[self._space.text_of[anchors[block]]]
            search_pools(
                self._space,
                anchors[block],
                rows,
                self._coarse.with_all(rows),
                self._coarse.slack,
                self._code,
                self._sizes,
                events[block],
                parts[block],
                sizes[block],
            )
        return Pools(events, parts, sizes)

    def _blocks(self, anchors: int) -> Iterator[slice]:
        size = max(1, _CELLS_AT_ONCE // max(1, len(self._space.documents)))
        for start in range(0, anchors, size):
            yield slice(start, min(start + size, anchors))


class _Coarse:
    """Similarities in single precision, in the order of the exact ones but for ``slack``.

    Attributes:
        slack: Twice the most by which one can be off, in any order of summation. A sum of d products is off
            by at most d + 2 roundings of the product of the lengths; doubling covers the terms of second
            order. Euclidean distances are compared by their squares. Manhattan distances are no products, so
            there everything is within the slack, as it is where single precision would overflow or underflow.
    """

    def __init__(self, similarity: VectorSimilarity) -> None:
        """Prepare for one similarity and its options."""
        self._unit = similarity.unit
        queries, documents = (self._scaled(side.vectors) for side in (similarity.anchors, similarity.options))
        self._documents = documents.T
        first, second = (_longest(side) for side in (queries, documents))
        scale = {COSINE: 1.0, DOT: first * second, EUCLIDEAN: (first + second) ** 2, MANHATTAN: np.inf}
        self._is_blind = not _TELLABLE[0] < scale[self._unit] < _TELLABLE[1]
        roundings = 2 * 2 * (queries.shape[1] + 4) * _UNIT_ROUNDOFF
        self.slack = np.inf if self._is_blind else roundings * scale[self._unit]

    def _scaled(self, rows: F32) -> F32:
        """Bring rows to unit length where cosines are compared."""
        if self._unit != COSINE:
            return rows
        lengths = np.sqrt(squared_lengths(rows))[:, None]
        return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0, casting="same_kind")

    def with_all(self, rows: F32) -> F32:
        """Shape (rows, options)."""
        if self._is_blind:
            return np.zeros((len(rows), self._documents.shape[1]), dtype=np.float32)
        products = self._scaled(rows) @ self._documents
        if self._unit == EUCLIDEAN:
            # The anchor's own square is the same for all of its options.
            products = 2 * products - np.einsum("ji,ji->i", self._documents, self._documents)
        return np.asarray(products, dtype=np.float32)


def _longest(rows: F32) -> float:
    return float(np.sqrt(np.square(rows, dtype=np.float64).sum(axis=1).max(initial=0.0)))
