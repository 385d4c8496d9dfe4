"""Candidates: pairs of an anchor and a positive, their lineups of negatives, and how dangerous these are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.bundles.mining.events import Events
from tellapart.bundles.mining.pools import find_pools
from tellapart.bundles.mining.settings import Settings
from tellapart.core.arrays import F64, I64
from tellapart.core.progress import SILENT, Progress
from tellapart.core.randomness import generator
from tellapart.embed.lineups import Lineups, Similarity
from tellapart.embed.similarity import VectorSimilarity


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
