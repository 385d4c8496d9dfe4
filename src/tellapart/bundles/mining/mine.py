"""Mining in chunks: pools found by several workers, lineups drawn and measured by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import polars as pl
from threadpoolctl import threadpool_limits

from tellapart.bundles.mining.candidates import Pairs
from tellapart.bundles.mining.events import Events
from tellapart.bundles.mining.pools import PoolSearch
from tellapart.bundles.mining.settings import Settings
from tellapart.bundles.mining.validation import AnchorPools, measure
from tellapart.embed.cosine import I32
from tellapart.embed.similarity import Cosines


@dataclass(frozen=True)
class Miner:
    """All that a chunk of candidates needs.

    Attributes:
        events: The events.
        pairs: All candidates.
        queries: Shape (texts, d), rows of ``unit_rows`` for the texts as anchors.
        documents: Shape (texts, d), the same for them as options.
        settings: How to mine.
    """

    events: Events
    pairs: Pairs
    queries: I32
    documents: I32
    settings: Settings

    def mine(self, parts: Sequence[slice], workers: int) -> Iterator[pl.DataFrame]:
        """Measure chunks of candidates.

        Workers are threads: the search for pools, which takes nearly all the time, lets the others run. The
        rest uses every core by itself and is done here.

        Args:
            parts: The chunks.
            workers: How many search at a time; changes nothing but the time.

        Yields:
            Rows of ``TESTED_SCHEMA``, chunk after chunk.
        """
        search = PoolSearch(self.events, self.queries, self.documents, self.settings)
        similarity = Cosines(self.queries, self.documents)

        def pools(part: slice) -> AnchorPools:
            anchors, pool_of = np.unique(self.pairs.anchors[part], return_inverse=True)
            return AnchorPools(search.find(anchors), pool_of.astype(np.int64))

        with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(workers) as executor:
            for part, found in zip(parts, executor.map(pools, parts), strict=True):
                pairs = Pairs(self.pairs.anchors[part], self.pairs.positives[part], 0)
                yield measure(self.events, pairs, found, similarity, self.settings)
