"""Candidates: pairs of an anchor and a positive, their lineups of negatives, and how dangerous these are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.mining.events import Events
from tellapart.bundles.mining.pools import PoolSearch
from tellapart.bundles.mining.settings import Settings
from tellapart.core.arrays import F64, I64
from tellapart.core.progress import SILENT, Progress
from tellapart.core.randomness import generator
from tellapart.embed.lineups import Lineups, Similarity
from tellapart.embed.vector_matcher import VectorSimilarity


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


def draw_lineups(
    names: Sequence[tuple[str, str]], sizes: I64, shorter: NDArray[np.bool_], settings: Settings
) -> I64:
    """Draw places in pools, without replacement inside a lineup, each candidate from its own generator.

    The place of the positive among the lengths of a lineup is drawn first, any as likely as any other, and
    then as many shorter and longer negatives as that takes, as far as the pool has them: in a lineup that is
    drawn without regard to length, a short positive is dangerous because it is short, and is found by that.

    Args:
        names: Ids of anchor and positive.
        sizes: Shape (candidates,), of the pools.
        shorter: Shape (candidates, most events a pool can have), which events are shorter than the positive.
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
        ordered = np.argsort(np.where(group[:, None], keys, _NEVER), axis=2, kind="stable")
        places = np.argsort(ordered, axis=2, kind="stable")
        keys[group[:, None] & (places >= number[:, :, None])] = _NEVER
    return np.argsort(keys, axis=2, kind="stable")[:, :, :wanted].astype(np.int64)


TESTED_SCHEMA = pl.Schema(
    {
        "anchor": pl.Int64(),
        "positive": pl.Int64(),
        "pool": pl.Int64(),
        "dangers": pl.List(pl.Float64()),
        "negatives": pl.List(pl.Int64()),
        "parts": pl.List(pl.Int64()),
    }
)
"""One row a candidate, events by number.

``pool`` is the size of the pool. ``dangers`` are those of all lineups in the order in which they were drawn,
and null where the pool is smaller than a lineup; ``negatives`` are those of the most dangerous lineup, the
first of equally dangerous ones, and ``parts`` are the positions in ``PARTS`` of where each comes from.
"""


def measure(
    events: Events,
    pairs: Pairs,
    similarity: VectorSimilarity,
    settings: Settings,
    progress: Progress = SILENT,
) -> pl.DataFrame:
    """Find the pools of all candidates, draw their lineups and measure the danger of each."""
    anchors, pool_of = np.unique(pairs.anchors, return_inverse=True)
    pools = PoolSearch(events, similarity, settings).find(anchors, progress)
    sizes = pools.sizes[pool_of]
    lengths = np.array([len(text) for text in events.texts], dtype=np.int64)[events.text_of]
    in_pool = np.arange(pools.events.shape[1]) < sizes[:, None]
    shorter = (lengths[pools.events[pool_of]] < lengths[pairs.positives][:, None]) & in_pool
    testable = np.flatnonzero(sizes >= settings.negatives_per_lineup)
    anchors, positives = pairs.anchors[testable], pairs.positives[testable]
    names = [(events.ids[a], events.ids[p]) for a, p in zip(anchors, positives, strict=True)]
    places = draw_lineups(names, sizes[testable], shorter[testable], settings)
    rows = pool_of[testable][:, None, None]
    drawn = pools.events[rows, places].astype(np.int64)
    danger = dangers(events, anchors, positives, drawn, similarity)
    worst = np.argmax(danger, axis=1)
    each = np.arange(len(testable))
    tested = pl.DataFrame(
        {
            "row": testable,
            # Arrays as they are: lists of them go through Python number by number.
            "dangers": pl.Series(danger).arr.to_list(),
            "negatives": pl.Series(drawn[each, worst]).arr.to_list(),
            "parts": pl.Series(pools.parts[rows, places][each, worst].astype(np.int64)).arr.to_list(),
        }
    )
    every = pl.DataFrame({"anchor": pairs.anchors, "positive": pairs.positives, "pool": sizes})
    joined = every.with_row_index("row").cast({"row": pl.Int64}).join(tested, on="row", how="left")
    return joined.sort("row").select(pl.col(name).cast(kind) for name, kind in TESTED_SCHEMA.items())


def dangers(events: Events, anchors: I64, positives: I64, negatives: I64, similarity: Similarity) -> F64:
    """Danger of each lineup: its best negative's similarity to the anchor minus the positive's."""
    candidates, lineups, size = negatives.shape
    shown = np.broadcast_to(positives[:, None, None], (candidates, lineups, 1))
    options = np.concatenate([shown, negatives], axis=2)
    ranking = Lineups(
        events.text_of[np.repeat(anchors, lineups)],
        events.text_of[options.ravel()],
        np.arange(candidates * lineups + 1, dtype=np.int64) * (size + 1),
    ).rank(similarity)
    # Not -margin, which writes a tie as -0.0.
    return np.asarray(0.0 - ranking.margin).reshape(candidates, lineups)
