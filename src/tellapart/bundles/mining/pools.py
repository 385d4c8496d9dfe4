"""Pools: for each anchor, the events of other senses that are most easily confused with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numba import get_num_threads, set_num_threads
from numpy.typing import NDArray

from tellapart.bundles.mining.events import Events
from tellapart.bundles.mining.settings import Settings
from tellapart.core.arrays import F32, I64
from tellapart.core.figure_units import COSINE, DOT, EUCLIDEAN, MANHATTAN
from tellapart.core.progress import SILENT, Progress
from tellapart.embed.vector_matcher import VectorSimilarity
from tellapart.embed.vector_pairs import squared_lengths

PARTS = ("lemma", "sibling", "across")
"""Where an event of a pool comes from, in the order in which a pool is filled."""

_CELLS_AT_ONCE = 1 << 24
_FIRST_LOOK = 4
_UNIT_ROUNDOFF = 2.0**-24


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
    """Finds pools.

    The pool of an anchor holds, nearest first in each part and each content once:

    1. ``lemma``: the nearest events that have the anchor's lemma;
    2. ``sibling``: the nearest further event of each of the nearest sibling senses, which are those that
       share a lemma with the anchor's sense through any of their events, so that one crowded sense does not
       hide the others;
    3. ``across``: the nearest events of any other lemma or of none.

    An event of a sense that the anchor's text has, or with the content of any event of such a sense, is in
    none of them: it could be a second right answer. An event without lemma shares its lemma with none, so
    that its pool may consist of the last part alone. Equally near events go by their id.
    """

    def __init__(self, events: Events, similarity: VectorSimilarity, settings: Settings) -> None:
        """Search among ``events``."""
        self._events, self._similarity = events, similarity
        self._coarse = _Coarse(similarity)
        self._sizes = (settings.within_lemma, settings.sibling_senses, settings.across_lemmas)
        self._siblings: dict[int, I64] = {}

    def find(self, anchors: I64, progress: Progress = SILENT) -> Pools:
        """Find the pools of some anchors.

        The search is exact: products in single precision, whose error has a bound, only decide which
        similarities can matter, and these are computed as ``VectorSimilarity`` computes them.
        """
        width = sum(self._sizes)
        events = np.full((len(anchors), width), -1, dtype=np.int32)
        parts = np.zeros((len(anchors), width), dtype=np.int8)
        sizes = np.zeros(len(anchors), dtype=np.int64)
        with _one_compiled_thread(), progress.step("searched pools", len(anchors), unit="anchors") as step:
            for block in self._blocks(len(anchors)):
                texts = self._events.text_of[anchors[block]]
                near = self._coarse.with_all(self._similarity.anchors.vectors[texts])
                for row, anchor in enumerate(anchors[block], start=block.start):
                    pool = self._pool(int(anchor), near[row - block.start][self._events.text_of])
                    found = [event for part in pool for event in part]
                    events[row, : len(found)] = found
                    parts[row, : len(found)] = np.repeat(np.arange(len(pool)), [len(part) for part in pool])
                    sizes[row] = len(found)
                step.update(block.stop)
        return Pools(events, parts, sizes)

    def _pool(self, anchor: int, near: F32) -> tuple[list[int], ...]:
        """The three parts of a pool; ``near`` is the coarse similarity of each event."""
        events = self._events
        sense, lemma = events.sense_of[anchor], events.lemma_of[anchor]
        # A text may have several senses, and its right answers in any of them are no negatives.
        senses = np.unique(events.sense_of[events.by_content.of(events.content_of[anchor])])
        taken = {of for of_text in senses for of in events.content_of[events.by_sense.of(of_text)].tolist()}
        within = events.by_lemma.of(lemma) if lemma >= 0 else np.empty(0, np.int64)
        others = np.flatnonzero(events.lemma_of != lemma) if lemma >= 0 else np.arange(len(events))
        return (
            self._nearest(anchor, near, within, self._sizes[0], taken),
            self._nearest(
                anchor, near, self._events_of_siblings(sense), self._sizes[1], taken, once_a_sense=True
            ),
            self._nearest(anchor, near, others, self._sizes[2], taken),
        )

    def _events_of_siblings(self, sense: int) -> I64:
        """Events of the senses that share a lemma with a sense, through any event of either."""
        if sense not in self._siblings:
            events, none = self._events, [np.empty(0, dtype=np.int64)]
            lemmas = np.unique(events.lemma_of[events.by_sense.of(sense)])
            of_lemmas = np.concatenate(none + [events.by_lemma.of(lemma) for lemma in lemmas[lemmas >= 0]])
            senses = np.unique(events.sense_of[of_lemmas])
            self._siblings[sense] = np.concatenate(none + [events.by_sense.of(one) for one in senses])
        return self._siblings[sense]

    def _nearest(
        self, anchor: int, near: F32, among: I64, most: int, taken: set[int], *, once_a_sense: bool = False
    ) -> list[int]:
        """Take the nearest events, as many as wanted, each content once and perhaps each sense once.

        Looks at the coarsely nearest first, and at more of them until nothing outside can be nearer than what
        was picked.
        """
        if not most or not len(among):
            return []
        coarse, looked_at = near[among], _FIRST_LOOK * most
        while True:
            is_all = looked_at >= len(among)
            cut = -np.inf if is_all else np.partition(coarse, -looked_at)[-looked_at]
            listed = among[coarse >= cut - self._coarse.slack]
            texts = self._events.text_of[listed]
            exact = self._similarity(np.full(len(texts), self._events.text_of[anchor]), texts)
            picked = self._pick(listed[np.lexsort((listed, -exact))], most, taken, once_a_sense=once_a_sense)
            if is_all or (len(picked) == most and near[picked].min() >= cut):
                taken.update(self._events.content_of[picked].tolist())
                return picked
            looked_at *= _FIRST_LOOK

    def _pick(self, ordered: I64, most: int, taken: set[int], *, once_a_sense: bool) -> list[int]:
        contents, senses = set(taken), set[int]()
        picked: list[int] = []
        columns = (ordered, self._events.content_of[ordered], self._events.sense_of[ordered])
        for event, content, sense in zip(*(column.tolist() for column in columns), strict=True):
            if content in contents or (once_a_sense and sense in senses):
                continue
            picked.append(event)
            contents.add(content)
            senses.add(sense)
            if len(picked) == most:
                break
        return picked

    def _blocks(self, anchors: int) -> Iterator[slice]:
        size = max(1, _CELLS_AT_ONCE // max(1, len(self._events.texts)))
        for start in range(0, anchors, size):
            yield slice(start, min(start + size, anchors))


@contextmanager
def _one_compiled_thread() -> Iterator[None]:
    """Let compiled loops run in one thread: a few dozen pairs at a time are not worth waking others."""
    before = get_num_threads()
    set_num_threads(1)
    try:
        yield
    finally:
        set_num_threads(before)


class _Coarse:
    """Similarities in single precision, in the order of the exact ones but for ``slack``.

    Attributes:
        slack: Twice the most by which one can be off: a sum of d products is off by at most d + 2 roundings
            of the product of the lengths. Euclidean distances are compared by their squares. Manhattan
            distances are no products, so there everything is within the slack.
    """

    def __init__(self, similarity: VectorSimilarity) -> None:
        """Prepare for one similarity and its options."""
        self._unit = similarity.unit
        queries, documents = (self._scaled(side.vectors) for side in (similarity.anchors, similarity.options))
        self._documents = documents.T
        first, second = (
            float(np.sqrt(squared_lengths(side).max(initial=0.0))) for side in (queries, documents)
        )
        scale = {COSINE: 1.0, DOT: first * second, EUCLIDEAN: (first + second) ** 2, MANHATTAN: np.inf}
        self.slack = 4 * (queries.shape[1] + 4) * _UNIT_ROUNDOFF * scale[self._unit]

    def _scaled(self, rows: F32) -> F32:
        """Bring rows to unit length where cosines are compared."""
        if self._unit != COSINE:
            return rows
        lengths = np.sqrt(squared_lengths(rows))[:, None]
        return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0, casting="same_kind")

    def with_all(self, rows: F32) -> F32:
        """Shape (rows, options)."""
        products = self._scaled(rows) @ self._documents
        if self._unit == EUCLIDEAN:
            # The anchor's own square is the same for all of its options.
            products = 2 * products - np.einsum("ji,ji->i", self._documents, self._documents)
        return np.asarray(products, dtype=np.float32)
