"""Candidates: pairs of an anchor and a positive, pools and lineups of negatives, and their danger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from tellapart.bundles.mining.events import Events
from tellapart.bundles.mining.settings import Settings
from tellapart.core.arrays import F64, I64
from tellapart.core.figure_units import COSINE, EUCLIDEAN, MANHATTAN
from tellapart.core.progress import SILENT, Progress
from tellapart.core.randomness import generator
from tellapart.embed.lineups import Lineups, Similarity
from tellapart.embed.similarity import VectorRows, VectorSimilarity

PARTS = ("lemma", "sibling", "across")
"""Where an event of a pool comes from, in the order in which a pool is filled."""

_CELLS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Pools:
    """Pools of several anchors, in the order in which they were filled; -1 beyond their ``sizes``."""

    events: I64
    parts: I64
    sizes: I64


def find_pools(
    events: Events,
    similarity: VectorSimilarity,
    settings: Settings,
    anchors: I64,
    progress: Progress = SILENT,
) -> Pools:
    """Find the pools of some anchors, nearest first in each part and each content once.

    ``lemma`` has the nearest events of the anchor's lemma; ``sibling`` the nearest further event of each of
    the nearest senses that share a lemma with the anchor's, so that one crowded sense does not hide the
    others; ``across`` the nearest events of any other lemma or of none. An event of a sense that the anchor's
    text has, or with the content of one, is in none: it could be a second right answer. Equally near events
    go by their id.
    """
    sizes = [settings.within_lemma, settings.sibling_senses, settings.across_lemmas]
    found = Pools(
        np.full((len(anchors), sum(sizes)), -1, dtype=np.int64),
        np.zeros((len(anchors), sum(sizes)), dtype=np.int64),
        np.zeros(len(anchors), dtype=np.int64),
    )
    siblings: dict[int, I64] = {}
    with progress.step("searched pools", len(anchors), unit="anchors") as step:
        for row, near in enumerate(_near(events, similarity, anchors)):
            sense = int(events.sense_of[anchors[row]])
            if sense not in siblings:
                siblings[sense] = _events_of_siblings(events, sense)
            parts = _pool(events, int(anchors[row]), near, siblings[sense], sizes)
            pool = np.concatenate(parts)
            found.events[row, : len(pool)] = pool
            found.parts[row, : len(pool)] = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
            found.sizes[row] = len(pool)
            step.update(row + 1)
    return found


def _near(events: Events, similarity: VectorSimilarity, anchors: I64) -> Iterator[F64]:
    """How near each event is to each anchor, shape (events,), to nine digits, so that ties are ties."""
    unit, size = similarity.unit, max(1, _CELLS_AT_ONCE // max(1, len(similarity.options)))
    options = _wide(similarity.options, slice(None), unit)
    for start in range(0, len(anchors), size):
        rows = _wide(similarity.anchors, events.text_of[anchors[start : start + size]], unit)
        if unit in (EUCLIDEAN, MANHATTAN):
            near = -cdist(rows, options, "euclidean" if unit == EUCLIDEAN else "cityblock")
        else:
            near = rows @ options.T
        largest = np.abs(near).max(axis=1, keepdims=True)
        yield from np.round(near / np.where(largest > 0, largest, 1.0), 9)[:, events.text_of]


def _wide(rows: VectorRows, chosen: I64 | slice, unit: str) -> F64:
    """Rows in double precision, for cosines of length 1; zero rows stay."""
    vectors = rows.vectors[chosen].astype(np.float64)
    if unit != COSINE:
        return vectors
    squares = rows.squares[chosen]
    return np.asarray(vectors / np.sqrt(np.where(squares > 0, squares, 1.0))[:, None])


def _events_of_siblings(events: Events, sense: int) -> I64:
    """Events of the senses that share a lemma with a sense, through any event of either."""
    lemmas = np.unique(events.lemma_of[events.by_sense[sense]])
    of_lemmas = [events.by_lemma[lemma] for lemma in lemmas[lemmas >= 0]]
    if not of_lemmas:
        return np.empty(0, dtype=np.int64)
    senses = np.unique(events.sense_of[np.concatenate(of_lemmas)])
    return np.concatenate([events.by_sense[one] for one in senses])


def _pool(events: Events, anchor: int, near: F64, siblings: I64, sizes: list[int]) -> list[I64]:
    """The three parts of a pool; ``near`` says how near each event is."""
    content, lemma = events.content_of, events.lemma_of[anchor]
    # A text may have several senses, and its right answers in any of them are no negatives.
    is_free = np.ones(len(events.by_content), dtype=np.bool_)
    for sense in np.unique(events.sense_of[events.by_content[content[anchor]]]):
        is_free[content[events.by_sense[sense]]] = False
    within = events.by_lemma[lemma] if lemma >= 0 else np.empty(0, dtype=np.int64)
    parts: list[I64] = []
    for name, most in zip(PARTS, sizes, strict=True):
        if name == "across":
            is_across = is_free[content]
            among = np.flatnonzero(is_across & (events.lemma_of != lemma) if lemma >= 0 else is_across)
        else:
            among = within if name == "lemma" else siblings
            among = among[is_free[content[among]]]
        part = _nearest(near, among, most, content, events.sense_of if name == "sibling" else content)
        is_free[content[part]] = False
        parts.append(part)
    return parts


def _nearest(near: F64, among: I64, most: int, content: I64, groups: I64) -> I64:
    """The nearest events, each content and group once: of the first few, or if these do not do, of all."""
    few, picked = 8 * most, list[int]()
    if most and few < len(among):
        values = near[among]
        listed = among[values >= np.partition(values, -few)[-few]]
        picked = _distinct(listed[np.lexsort((listed, -near[listed]))], most, content, groups)
    if most and len(picked) < most:
        picked = _distinct(among[np.lexsort((among, -near[among]))], most, content, groups)
    return np.array(picked, dtype=np.int64)


def _distinct(ordered: I64, most: int, content: I64, groups: I64) -> list[int]:
    """The first events, each content and each group once."""
    picked, contents, of_groups = list[int](), set[int](), set[int]()
    columns = (ordered, content[ordered], groups[ordered])
    for event, own, group in zip(*(column.tolist() for column in columns), strict=True):
        if own not in contents and group not in of_groups:
            picked.append(event)
            contents.add(own)
            of_groups.add(group)
            if len(picked) == most:
                break
    return picked


def draw_pairs(events: Events, settings: Settings) -> I64:
    """Draw ordered pairs (anchor, positive) of other contents, in each sense from a generator of its own."""
    drawn = [_pairs_of(events, sense, settings) for sense in range(len(events.senses))]
    return np.concatenate([np.empty((0, 2), dtype=np.int64), *drawn])


def _pairs_of(events: Events, sense: int, settings: Settings) -> I64:
    members = events.by_sense[sense]
    distinct = members[np.sort(np.unique(events.content_of[members], return_index=True)[1])]
    others = len(distinct) - 1
    if others < 1:
        return np.empty((0, 2), dtype=np.int64)
    total = len(distinct) * others
    rng = generator(settings.seed, "pairs", events.senses[sense])
    drawn = np.sort(rng.choice(total, min(settings.candidates_per_sense, total), replace=False))
    anchor, second = np.divmod(drawn, others)
    # Of the others, those from the anchor's own place on are one place further.
    return np.stack([distinct[anchor], distinct[second + (second >= anchor)]], axis=1)


_NEVER = 2.0


def draw_lineups(
    names: Sequence[tuple[str, str]], sizes: I64, shorter: NDArray[np.bool_], settings: Settings
) -> I64:
    """Draw places in pools, without replacement inside a lineup, each candidate from its own generator.

    The place of the positive among the lengths of a lineup is drawn first, any as likely as any other, and
    then as many ``shorter`` and longer negatives as that takes, as far as the pool has them: else a short
    positive would be dangerous because it is short.
    """
    wanted, widest = settings.negatives_per_lineup, shorter.shape[1]
    # The smallest random keys are drawn; what is beyond a pool has a key above any in [0, 1).
    keys = np.full((len(names), settings.lineups, widest), _NEVER)
    n_shorter = np.zeros((len(names), settings.lineups), dtype=np.int64)
    for i, ((anchor, positive), size) in enumerate(zip(names, sizes.tolist(), strict=True)):
        rng = generator(settings.seed, "lineups", anchor, positive)
        keys[i, :, :size] = rng.random((settings.lineups, size))
        n_shorter[i] = rng.integers(0, wanted + 1, settings.lineups)
    in_pool = np.arange(widest) < sizes[:, None]
    are_shorter = (shorter & in_pool).sum(axis=1)[:, None]
    n_shorter = np.clip(n_shorter, wanted - (sizes[:, None] - are_shorter), are_shorter)
    groups = ((shorter & in_pool, n_shorter), (~shorter & in_pool, wanted - n_shorter))
    for group, number in groups:
        ascending = np.sort(np.where(group[:, None], keys, _NEVER), axis=2)
        last = np.take_along_axis(ascending, np.maximum(number - 1, 0)[:, :, None], axis=2)
        keys[group[:, None] & (keys > np.where(number[:, :, None] > 0, last, -1.0))] = _NEVER
    return np.argsort(keys, axis=2, kind="stable")[:, :, :wanted].astype(np.int64)


@dataclass(frozen=True)
class Measured:
    """Candidates that had lineups, events by number.

    ``dangers`` are of all lineups, ``negatives`` and their ``parts`` of the most dangerous one; ``too_small``
    counts the candidates whose pool is smaller than a lineup.
    """

    pairs: I64
    dangers: F64
    negatives: I64
    parts: I64
    too_small: int = 0


def measure(
    events: Events,
    pairs: I64,
    similarity: VectorSimilarity,
    settings: Settings,
    progress: Progress = SILENT,
) -> Measured:
    """Find the pools of all candidates, draw their lineups and measure the danger of each."""
    anchors, pool_of = np.unique(pairs[:, 0], return_inverse=True)
    pools = find_pools(events, similarity, settings, anchors, progress)
    testable = pools.sizes[pool_of] >= settings.negatives_per_lineup
    tested, rows = pairs[testable], pool_of[testable]
    lengths = np.array([len(text) for text in events.texts], dtype=np.int64)[events.text_of]
    shorter = lengths[pools.events[rows]] < lengths[tested[:, 1]][:, None]
    names = [(events.ids[anchor], events.ids[positive]) for anchor, positive in tested.tolist()]
    places = draw_lineups(names, pools.sizes[rows], shorter, settings)
    drawn = pools.events[rows[:, None, None], places]
    dangers = _dangers(events, tested, drawn, similarity)
    each, worst = np.arange(len(tested)), np.argmax(dangers, axis=1)
    parts = pools.parts[rows[:, None], places[each, worst]]
    return Measured(tested, dangers, drawn[each, worst], parts, int((~testable).sum()))


def _dangers(events: Events, pairs: I64, negatives: I64, similarity: Similarity) -> F64:
    """Danger of each lineup: its best negative's similarity to the anchor minus the positive's."""
    candidates, lineups, size = negatives.shape
    positives = np.broadcast_to(pairs[:, 1, None, None], (candidates, lineups, 1))
    options = np.concatenate([positives, negatives], axis=2)
    ranking = Lineups(
        events.text_of[np.repeat(pairs[:, 0], lineups)],
        events.text_of[options.ravel()],
        np.arange(candidates * lineups + 1, dtype=np.int64) * (size + 1),
    ).rank(similarity)
    # Not -margin, which writes a tie as -0.0.
    return np.asarray(0.0 - ranking.margin).reshape(candidates, lineups)
