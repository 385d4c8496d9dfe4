"""Scoring an eval in one file, and the same in many files; by name of an engine and number of workers.

Vectors come from a file, so that no worker has anything to do: this measures the command itself.

The eval is 2,000,000 bundles of 20 negatives over 100,000 texts, with 384 dimensions from an .npz, in 20
files of Parquet; see `streaming.py`. Seconds are of the whole command. The peak is the highest resident
memory of any one of its processes, sampled ten times a second; proportional shares (PSS) of all of them
together are beside it. At the end the scoreboards and the files of scores are held against each other, byte
for byte. The machine's own limits are measured in the same run: writing a file, and copying memory by one
process and by two. Beside each rate stands how much is written, and how many bytes of vectors are gathered.

Usage: python benchmarks/scale.py [--bundles N ...] [--engines whole,local:1,ray:2]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import polars as pl
import psutil

import streaming

FILES = 20
BYTES_A_BUNDLE = 22 * 384 * 4
"""Of the vectors of an anchor and 21 options."""


def write_eval(folder: Path, texts: list[str], bundles: int) -> None:
    whole = folder.with_suffix(".parquet")
    streaming.write_bundles(whole, texts, bundles)
    folder.mkdir()
    for number in range(FILES):
        rows = -(-bundles // FILES)
        pl.scan_parquet(whole).slice(number * rows, rows).collect().write_parquet(
            folder / f"part-{number:03d}.parquet"
        )


class Measured(NamedTuple):
    """Peaks of resident memory by kind of process, and of shares of all; what is written, in GB."""

    seconds: float
    peaks: dict[str, float]
    together: float
    written: float


def measured(command: list[str]) -> Measured:
    start = time.perf_counter()
    child = psutil.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"SOURCE_DATE_EPOCH": "0"},
    )
    peaks: dict[str, float] = {}
    written: dict[int, int] = {}
    together = 0.0
    while child.poll() is None:
        total = 0.0
        try:
            family = [child, *child.children(recursive=True)]
        except psutil.Error:
            break
        for process in family:
            try:
                full = process.memory_full_info()
                line = " ".join(process.cmdline())
                written[process.pid] = process.io_counters().write_bytes
            except psutil.Error:
                continue
            is_worker = "spawn_main" in line or line.startswith("ray::_do_in")
            kind = "driver" if process is child else "worker" if is_worker else "other"
            peaks[kind] = max(peaks.get(kind, 0.0), full.rss / 1e9)
            total += full.pss / 1e9
        together = max(together, total)
        time.sleep(0.1)
    if child.wait():
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    return Measured(time.perf_counter() - start, peaks, together, sum(written.values()) / 1e9)


class Limits(NamedTuple):
    """Of the machine, in GB a second: memory copied by one process and by two, a file written."""

    copied: float
    copied_by_two: float
    written: float


def copies(seconds: float = 2.0) -> float:
    """Bytes that are read and written by copies of 256 MB, in GB a second; pages are touched before."""
    data = np.ones(2**28, dtype=np.uint8)
    target = data.copy()
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        np.copyto(target, data)
        count += 1
    return 2 * data.nbytes * count / (time.perf_counter() - start) / 1e9


def limits(directory: Path) -> Limits:
    alone = copies()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        together = sum(pool.map(copies, [2.0, 2.0]))
    path, data = directory / "limit", np.random.default_rng(0).bytes(2**28)
    start = time.perf_counter()
    with path.open("wb") as file:
        file.write(data)
        os.fsync(file.fileno())
    wrote = len(data) / (time.perf_counter() - start) / 1e9
    path.unlink()
    return Limits(alone, together, wrote)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bundles", type=int, nargs="+", default=[2_000_000])
    parser.add_argument("--engines", default="whole,local:1")
    chosen = parser.parse_args()
    texts = streaming.pool()
    with TemporaryDirectory() as name:
        directory = Path(name)
        machine = limits(directory)
        print(
            f"this machine: memory {machine.copied:.1f} GB/s copied by one process, "
            f"{machine.copied_by_two:.1f} by two; disk {machine.written:.2f} GB/s written",
            flush=True,
        )
        streaming.write_vectors(directory / "vectors.npz", texts)
        for bundles in chosen.bundles:
            folder = directory / f"eval-{bundles}"
            write_eval(folder, texts, bundles)
            size = sum(path.stat().st_size for path in folder.iterdir()) / 1e9
            results = {}
            for engine in chosen.engines.split(","):
                out = directory / f"{engine.replace(':', '-')}-{bundles}.json"
                kind, _, workers = engine.partition(":")
                source = folder.with_suffix(".parquet") if kind == "whole" else folder
                options = [] if kind == "whole" else ["--engine", kind, "--workers", workers]
                seconds, peaks, together, written = measured(
                    [
                        sys.executable,
                        "-m",
                        "tellapart",
                        "bundles",
                        "score",
                        str(source),
                        "--embeddings",
                        str(directory / "vectors.npz"),
                        "--out",
                        str(out),
                        *options,
                    ]
                )
                board = json.loads(out.read_text())
                scores = out.with_name(f"{out.stem}.scores.parquet")
                parts = tuple(path.name for path in sorted(scores.glob("part-*"))) if scores.is_dir() else ()
                results[engine] = (seconds, board["overall"], board["by_tier"], parts)
                print(
                    f"{bundles:,} bundles ({size:.2f} GB), {engine}: {seconds:.1f} s, "
                    f"{bundles / seconds:,.0f} bundles/s, "
                    f"{1000 * size / seconds:.1f} MB/s; peaks in GB: "
                    + ", ".join(f"{who} {peak:.2f}" for who, peak in sorted(peaks.items()))
                    + f", all together {together:.2f}; writes {written / seconds:.3f} GB/s, "
                    f"gathers {bundles * BYTES_A_BUNDLE / seconds / 1e9:.2f} GB/s of vectors",
                    flush=True,
                )
            boards = {json.dumps(result[1:3], sort_keys=True) for result in results.values()}
            files = {result[3] for result in results.values() if result[3]}
            print(
                f"  figures equal: {len(boards) == 1}; "
                f"files of scores equal (names hold digests): {len(files) <= 1}"
            )


if __name__ == "__main__":
    main()
