"""Mining that survives a crash: each finished chunk of candidates is kept until all are done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tellapart.bundles.mining.candidates import chunks
from tellapart.bundles.mining.mine import Miner
from tellapart.bundles.mining.validation import TESTED_SCHEMA
from tellapart.store import OpenRun, RunRecord, delete_run, writing

_RUN = ".mining"
_TOLD_EVERY_S = 10.0


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
def kept_beside(out: Path, record: RunRecord) -> Iterator[OpenRun]:
    """Keep the work on ``out`` in a directory beside it until the block ends without an error.

    Raises:
        UsageError: Interrupted work with another configuration is there.
        Refused: Another process is at it.
    """
    path = out.with_name(out.name + _RUN)
    if path.exists():
        # Another process ended between its last two steps: the bundles were written.
        delete_run(path)
    with writing(path, record) as run:
        yield run
    delete_run(path)


def mine_chunks(
    miner: Miner, run: OpenRun, *, workers: int, started: float, progress: Callable[[str], None]
) -> Mined:
    """Mine the chunks that no earlier process finished, and put all together.

    Args:
        miner: What mines.
        run: Where finished chunks are kept.
        workers: How many search at a time.
        started: ``time.monotonic()`` at the start of the work.
        progress: Told how far it is.
    """
    parts = chunks(miner.events, miner.pairs)
    finished = {entry["step"] for entry in run.journal.entries}
    before = max((entry["elapsed_s"] for entry in run.journal.entries), default=0.0)
    missing = [part for part in parts if _step(part) not in finished]
    if len(missing) < len(parts):
        progress(
            f"going on with an interrupted run: {len(parts) - len(missing)} of {len(parts)} parts are done"
        )
    told = started
    for done, (part, tested) in enumerate(zip(missing, miner.mine(missing, workers), strict=True), start=1):
        run.write_frame(_file(part), tested)
        run.finish_step(_step(part), elapsed_s=round(before + time.monotonic() - started, 3))
        if time.monotonic() - told > _TOLD_EVERY_S:
            told = time.monotonic()
            progress(f"{done} of {len(missing)} parts")
    frames = [run.read_frame(_file(part)) for part in parts]
    tested = pl.concat([TESTED_SCHEMA.to_frame(), *frames])
    return Mined(tested, round(before + time.monotonic() - started, 3))


def _step(part: slice) -> str:
    return f"candidates {part.start} to {part.stop}"


def _file(part: slice) -> str:
    return f"artifacts/{part.start}.parquet"
