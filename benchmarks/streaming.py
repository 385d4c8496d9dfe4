"""Time and peak memory of ``tellapart bundles score`` on a large Parquet file, in a process of its own.

2,000,000 bundles of 20 negatives over 100,000 texts of some 60 characters, with 384 dimensions from an .npz;
before that a quarter of them. The file is written in pieces to a temporary directory. The peak is the highest
resident memory that the kernel saw of the command; 3 GB must be enough.

Usage: python benchmarks/streaming.py [BUNDLES ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import pyarrow as pa
from pyarrow.parquet import ParquetWriter

BUNDLES, NEGATIVES, DIMENSIONS, TEXTS, PIECE = (500_000, 2_000_000), 20, 384, 100_000, 50_000


def pool() -> list[str]:
    return [f"text {i:06d} of the pool, about as long as a sentence often is" for i in range(TEXTS)]


def write_vectors(path: Path, texts: list[str]) -> None:
    vectors = np.random.default_rng(0).standard_normal((len(texts), DIMENSIONS), dtype=np.float32)
    np.savez(path, texts=np.array(texts), vectors=vectors)


def write_bundles(path: Path, texts: list[str], bundles: int) -> None:
    """Write a file of ``bundle_id, anchor, positive, negatives``, ``PIECE`` bundles a row group."""
    rng, pool = np.random.default_rng(1), pa.array(texts)
    fields = [(name, pa.string()) for name in ("bundle_id", "anchor", "positive")]
    schema = pa.schema([*fields, ("negatives", pa.list_(pa.string()))])
    with ParquetWriter(path, schema, compression="zstd") as writer:
        for start in range(0, bundles, PIECE):
            size = min(PIECE, bundles - start)
            # Steps from the positive, never 0: it is not among its negatives, nor is one of them there twice.
            positive = rng.integers(0, TEXTS, (size, 1))
            steps = rng.integers(1, TEXTS // NEGATIVES, (size, NEGATIVES)).cumsum(axis=1)
            negatives = pool.take(pa.array(((positive + steps) % TEXTS).ravel()))
            offsets = pa.array(np.arange(0, size * NEGATIVES + 1, NEGATIVES, dtype=np.int32))
            columns = [
                pa.array([f"bundle-{i:08d}" for i in range(start, start + size)]),
                pool.take(pa.array(rng.integers(0, TEXTS, size))),
                pool.take(pa.array(positive.ravel())),
                pa.ListArray.from_arrays(offsets, negatives),
            ]
            writer.write_table(pa.table(columns, schema=schema))


def run(arguments: list[str]) -> tuple[float, float]:
    """Seconds and peak of resident memory in GB of a command."""
    start = perf_counter()
    child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(arguments)} ended with {child.returncode}")
    return perf_counter() - start, usage.ru_maxrss * 1024 / 1e9


def main() -> None:
    texts = pool()
    with TemporaryDirectory() as directory:
        eval_path, vectors = Path(directory) / "eval.parquet", Path(directory) / "vectors.npz"
        write_vectors(vectors, texts)
        for bundles in [int(word) for word in sys.argv[1:]] or BUNDLES:
            write_bundles(eval_path, texts, bundles)
            out = str(Path(directory) / "scoreboard.json")
            command = [sys.executable, "-m", "tellapart", "bundles", "score", str(eval_path)]
            seconds, peak = run([*command, "--embeddings", str(vectors), "--out", out])
            print(
                f"{bundles:,} bundles, {eval_path.stat().st_size / 1e9:.2f} GB of Parquet: {seconds:.1f} s, "
                f"{1e6 * seconds / bundles:.1f} us each, peak {peak:.2f} GB"
            )


if __name__ == "__main__":
    main()
