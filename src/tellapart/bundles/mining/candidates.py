"""Candidates: pairs of an anchor and a positive, drawn in each sense, and lineups of negatives for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tellapart.bundles.mining.events import Events
from tellapart.bundles.mining.settings import Settings
from tellapart.core.arrays import I64
from tellapart.core.randomness import generator


@dataclass(frozen=True)
class Pairs:
    """Candidates by sense, then anchor, then positive.

    Attributes:
        anchors: Shape (candidates,), events.
        positives: Shape (candidates,), other events of the same sense, with other contents.
        senses_without: Senses that have no two distinct texts.
    """

    anchors: I64
    positives: I64
    senses_without: int

    def __len__(self) -> int:
        return len(self.anchors)


def draw_pairs(events: Events, settings: Settings) -> Pairs:
    """Draw ordered pairs without replacement, in each sense from a generator of its own.

    Copies of a text within a sense count once, under the first of their ids.
    """
    chosen = [_pairs_of(events, sense, settings) for sense in range(len(events.senses))]
    pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *chosen])
    return Pairs(pairs[:, 0], pairs[:, 1], sum(not len(part) for part in chosen))


def _pairs_of(events: Events, sense: int, settings: Settings) -> I64:
    members = events.by_sense.of(sense)
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


def draw_lineups(names: Sequence[tuple[str, str]], sizes: I64, settings: Settings) -> I64:
    """Draw places in pools, without replacement inside a lineup, each candidate from its own generator."""
    widest = int(sizes.max(initial=settings.negatives_per_lineup))
    # The smallest random keys are drawn; what is beyond a pool has a key above any in [0, 1).
    keys = np.full((len(names), settings.lineups, widest), _NEVER)
    for i, ((anchor, positive), size) in enumerate(zip(names, sizes.tolist(), strict=True)):
        rng = generator(settings.seed, "lineups", anchor, positive)
        keys[i, :, :size] = rng.random((settings.lineups, size))
    return np.argsort(keys, axis=2, kind="stable")[:, :, : settings.negatives_per_lineup].astype(np.int64)
