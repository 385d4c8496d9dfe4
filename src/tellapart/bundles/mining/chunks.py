"""Mining in chunks of candidates, each kept when it is finished, so that a crash costs one chunk."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from threadpoolctl import threadpool_limits

from tellapart.bundles.mining.candidates import Pairs, chunks
from tellapart.bundles.mining.events import Events
from tellapart.bundles.mining.pools import PoolSearch
from tellapart.bundles.mining.settings import Settings
from tellapart.bundles.mining.validation import TESTED_SCHEMA, AnchorPools, measure
from tellapart.core.jobs import Spread
from tellapart.core.progress import Progress, Rate
from tellapart.embed.vector_matcher import VectorSimilarity
from tellapart.environment.clock import seconds_since
from tellapart.store import OpenRun, RunPlan, delete_run


@dataclass(frozen=True)
class Miner:
    """Measures chunks of candidates.

    Attributes:
        similarity: Scores pairs of the numbers of texts, as anchor and as option.
    """

    events: Events
    pairs: Pairs
    similarity: VectorSimilarity
    settings: Settings
    name: str = "mining"

    def open(self) -> PoolSearch:
        """Make ready to search, from several threads."""
        return PoolSearch(self.events, self.similarity, self.settings)

    def do(self, search: PoolSearch, part: slice) -> pl.DataFrame:
        """Measure a chunk: rows of ``TESTED_SCHEMA``."""
        return self.measure(part, self.pools(search, part))

    def pools(self, search: PoolSearch, part: slice) -> AnchorPools:
        """Find the pools of a chunk, which takes nearly all the time."""
        anchors, pool_of = np.unique(self.pairs.anchors[part], return_inverse=True)
        with threadpool_limits(1, user_api="blas"):
            return AnchorPools(search.find(anchors), pool_of.astype(np.int64))

    def measure(self, part: slice, pools: AnchorPools) -> pl.DataFrame:
        """Measure the candidates of a chunk, whose pools are found."""
        pairs = Pairs(self.pairs.anchors[part], self.pairs.positives[part], 0)
        return measure(self.events, pairs, pools, self.similarity, self.settings)

    def describe(self, part: slice) -> str:
        """Name the candidates."""
        return f"candidates {part.start + 1:,} to {part.stop:,}"


def mine_here(miner: Miner, parts: Sequence[slice], *, workers: int) -> Iterator[tuple[int, pl.DataFrame]]:
    """Measure chunks in this process, as ``Spread`` does in others.

    Workers are threads: the search for pools lets the others run. The rest uses every core by itself, and is
    done one chunk after the other.
    """
    search = miner.open()
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(workers) as executor:
        for number, pools in enumerate(executor.map(partial(miner.pools, search), parts)):
            yield number, miner.measure(parts[number], pools)


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
    """Keep the work in a run directory until the block ends without an error."""
    with suppress(OSError):
        # Empty, where a process was killed while it deleted it.
        plan.path.rmdir()
    if plan.path.exists():
        # Another process ended between its last two steps: the bundles were written.
        delete_run(plan.path)
    with plan.writing() as run:
        yield run
    delete_run(plan.path)


def mine_chunks(miner: Miner, run: OpenRun, spread: Spread, *, started: float, progress: Progress) -> Mined:
    """Mine the chunks that no earlier process finished, and put all together."""
    parts = chunks(miner.events, miner.pairs)
    finished = run.steps
    before = max((details["elapsed_s"] for details in finished.values()), default=0.0)
    missing = [part for part in parts if _step(part) not in finished]
    done = len(parts) - len(missing)
    if done:
        progress(f"going on with an interrupted run: {done} of {len(parts)} parts are done")
    with progress.step("mined", len(parts), unit="parts", done=done) as step:
        rate = Rate("candidates", time.monotonic)
        for number, tested in spread(miner, missing):
            part = missing[number]
            run.write_frame(_file(part), tested)
            run.finish_step(_step(part), elapsed_s=round(before + seconds_since(started), 3))
            done += 1
            step.update(done, note=rate.after(tested.height))
    frames = [run.read_frame(_file(part)) for part in parts]
    tested = pl.concat([TESTED_SCHEMA.to_frame(), *frames])
    return Mined(tested, round(before + seconds_since(started), 3))


def _step(part: slice) -> str:
    return f"candidates {part.start} to {part.stop}"


def _file(part: slice) -> str:
    return f"artifacts/{part.start}.parquet"
