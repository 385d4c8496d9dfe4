"""Validation: how dangerous each candidate is in each of its lineups."""

from __future__ import annotations

import numpy as np
import polars as pl

from tellapart.bundles.mining.candidates import Pairs, draw_lineups
from tellapart.bundles.mining.events import Events
from tellapart.bundles.mining.pools import PoolSearch
from tellapart.bundles.mining.settings import Settings
from tellapart.core.arrays import F64, I64
from tellapart.core.progress import SILENT, Progress
from tellapart.embed.lineups import Lineups, Similarity
from tellapart.embed.vector_matcher import VectorSimilarity

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
    testable = np.flatnonzero(sizes >= settings.negatives_per_lineup)
    anchors, positives = pairs.anchors[testable], pairs.positives[testable]
    names = [(events.ids[a], events.ids[p]) for a, p in zip(anchors, positives, strict=True)]
    places = draw_lineups(names, sizes[testable], settings)
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
