"""How often each of many groups is drawn in each of many bootstrap resamples, on all cores."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tellapart.core.arrays import F64, I64
from tellapart.core.compiled import compiled, cores

U64: TypeAlias = NDArray[np.uint64]
Add: TypeAlias = Callable[[slice, F64], None]

# The counts of a tile stay in the first cache while they are drawn, those of a block in the second.
_TILE_BITS = 12
_ROWS = 128
# Tiles whose totals and seeds are held at once.
_TILES = 64
_STEP, _MIX, _MIX_AGAIN = (
    np.uint64(word) for word in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def count_draws(
    groups: int,
    resamples: int,
    rng: np.random.Generator,
    over: Callable[[slice], Add],
    part: slice | None = None,
) -> None:
    """Draw ``groups`` of so many groups with replacement, again and again, and hand the counts over.

    The groups are cut into tiles of a power of two each. How many draws fall into each tile is multinomial;
    within a tile each draw is as many random bits as its size takes, from a generator of its own for each
    tile and resample. So the counts are those of a plain bootstrap, and the same for any number of cores.

    Args:
        groups: How many groups there are, 1 or more.
        resamples: How many resamples.
        rng: Draws the totals of the tiles and the seeds.
        over: Called with a range of groups; what it returns is called with ranges of resamples and the counts
            of these groups, shape (resamples in the range, groups in the range), which it must not keep.
            Several threads do this at once, each for resamples of its own; BLAS runs on one core within.
        part: Only these resamples are counted, as they are among all; None for all.

    Source:
        Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators", for SplitMix64.
    """
    tiles = _tiles(groups)
    left = np.full(resamples, groups, dtype=np.int64)
    counted = np.arange(resamples)[part or slice(None)]
    workers = max(1, min(cores(), len(counted) // _ROWS))
    shares = np.array_split(counted, workers)
    rows = [slice(int(share[0]), int(share[-1]) + 1) for share in shares if len(share)]
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(workers) as threads:
        for start in range(0, len(tiles), _TILES):
            chunk = tiles[start : start + _TILES]
            totals = np.empty((len(chunk), resamples), dtype=np.int64)
            for t, tile in enumerate(chunk):
                totals[t] = rng.binomial(left, (tile.stop - tile.start) / (groups - tile.start))
                left -= totals[t]
            seeds = rng.integers(0, 2**64, (len(chunk), resamples), dtype=np.uint64)
            jobs = [threads.submit(_work, share, chunk, totals, seeds, over) for share in rows]
            for job in jobs:
                job.result()


def _tiles(groups: int) -> list[slice]:
    """Cut into tiles of a power of two, the largest first."""
    starts, start = [], 0
    for bits in range(_TILE_BITS, -1, -1):
        while groups - start >= 1 << bits:
            starts.append(start)
            start += 1 << bits
    return [slice(low, high) for low, high in zip(starts, [*starts[1:], groups], strict=True)]


def _work(rows: slice, tiles: list[slice], totals: I64, seeds: U64, over: Callable[[slice], Add]) -> None:
    buffer = np.empty(_ROWS << _TILE_BITS)
    for t, tile in enumerate(tiles):
        size, add = tile.stop - tile.start, over(tile)
        for start in range(rows.start, rows.stop, _ROWS):
            block = slice(start, min(start + _ROWS, rows.stop))
            counts = buffer[: (block.stop - start) * size].reshape(-1, size)
            _draw(counts, totals[t, block], seeds[t, block], size.bit_length() - 1)
            add(block, counts)


@compiled()
def _draw(counts: F64, totals: I64, seeds: U64, bits: int) -> None:
    """Fill each row with counts that add up to its total, by the lowest bits of SplitMix64's words."""
    mask = np.uint64(counts.shape[1] - 1)
    for r in range(len(counts)):
        row, state, left = counts[r], seeds[r], totals[r]
        row[:] = 0
        while left > 0:
            state += _STEP
            word = (state ^ (state >> np.uint64(30))) * _MIX
            word = (word ^ (word >> np.uint64(27))) * _MIX_AGAIN
            word ^= word >> np.uint64(31)
            if bits == _TILE_BITS and left >= 5:
                row[word & mask] += 1
                row[(word >> np.uint64(12)) & mask] += 1
                row[(word >> np.uint64(24)) & mask] += 1
                row[(word >> np.uint64(36)) & mask] += 1
                row[(word >> np.uint64(48)) & mask] += 1
                left -= 5
            else:
                row[word & mask] += 1
                left -= 1
