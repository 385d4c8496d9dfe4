"""Mining in chunks of candidates, each kept when it is finished, so that a crash costs one chunk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import numpy as np
import polars as pl
from threadpoolctl import threadpool_limits

from tellapart.bundles.mining.candidates import Pairs, chunks
from tellapart.bundles.mining.events import Events
from tellapart.bundles.mining.pools import PoolSearch
from tellapart.bundles.mining.settings import Settings
from tellapart.bundles.mining.validation import TESTED_SCHEMA, AnchorPools, measure
from tellapart.core.progress import Progress
from tellapart.embed.vector_matcher import VectorSimilarity
from tellapart.environment.clock import seconds_since
from tellapart.store import OpenRun, RunPlan, delete_run


@dataclass(frozen=True)
class Miner:
    """All that a chunk of candidates needs.

    Attributes:
        events: The events.
        pairs: All candidates.
        similarity: Scores pairs of the numbers of texts, as anchor and as option.
        settings: How to mine.
    """

    events: Events
    pairs: Pairs
    similarity: VectorSimilarity
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
        search = PoolSearch(self.events, self.similarity, self.settings)

        def pools(part: slice) -> AnchorPools:
            anchors, pool_of = np.unique(self.pairs.anchors[part], return_inverse=True)
            return AnchorPools(search.find(anchors), pool_of.astype(np.int64))

        with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(workers) as executor:
            for part, anchor_pools in zip(parts, executor.map(pools, parts), strict=True):
                pairs = Pairs(self.pairs.anchors[part], self.pairs.positives[part], 0)
                yield measure(self.events, pairs, anchor_pools, self.similarity, self.settings)


@dataclass(frozen=True)
class Mined:
    """What all candidates came to.

    Attributes:
        tested: Rows of ``TESTED_SCHEMA``.
        duration_s: Seconds since the start, with those of interrupted runs up to their last finished chunk.
    """

    tested: pl.DataFrame
    duration_s: float


@contextmanager
def removed_at_the_end(plan: RunPlan) -> Iterator[OpenRun]:
    """Keep the work in a run directory until the block ends without an error.

    Raises:
        UsageError: Interrupted work with another configuration is there.
        Refused: Another process is at it.
    """
    with suppress(OSError):
        # Empty, where a process was killed while it deleted it.
        plan.path.rmdir()
    if plan.path.exists():
        # Another process ended between its last two steps: the bundles were written.
        delete_run(plan.path)
    with plan.writing() as run:
        yield run
    delete_run(plan.path)


def mine_chunks(miner: Miner, run: OpenRun, *, workers: int, started: float, progress: Progress) -> Mined:
    """Mine the chunks that no earlier process finished, and put all together.

    Args:
        miner: What mines.
        run: Where finished chunks are kept.
        workers: How many search at a time.
        started: ``time.monotonic()`` at the start of the work.
        progress: Called with how far it is.
    """
    parts = chunks(miner.events, miner.pairs)
    finished = run.steps
    before = max((details["elapsed_s"] for details in finished.values()), default=0.0)
    missing = [part for part in parts if _step(part) not in finished]
    earlier = len(parts) - len(missing)
    if earlier:
        progress(f"going on with an interrupted run: {earlier} of {len(parts)} parts are done")
    with progress.step("mined", len(parts), unit="parts", done=earlier) as step:
        mined = zip(missing, miner.mine(missing, workers), strict=True)
        for done, (part, tested) in enumerate(mined, start=earlier + 1):
            run.write_frame(_file(part), tested)
            run.finish_step(_step(part), elapsed_s=round(before + seconds_since(started), 3))
            step.update(done)
    frames = [run.read_frame(_file(part)) for part in parts]
    tested = pl.concat([TESTED_SCHEMA.to_frame(), *frames])
    return Mined(tested, round(before + seconds_since(started), 3))


def _step(part: slice) -> str:
    return f"candidates {part.start} to {part.stop}"


def _file(part: slice) -> str:
    return f"artifacts/{part.start}.parquet"
