"""Scoring an eval part by part: on this machine with 1 and 2 workers, through Ray with 1 and 2, and whole.

The eval is 2,000,000 bundles of 20 negatives over 100,000 texts, with 384 dimensions from an .npz, in 20
files of Parquet; see `streaming.py`. Seconds are of the whole command. The peak is the highest resident
memory of any one of its processes, sampled ten times a second; proportional shares (PSS) of all of them
together are beside it. At the end the scoreboards and the files of scores are held against each other, byte
for byte. The machine's own limits are measured in the same run: reading and writing a file, copying memory.

Usage: python benchmarks/scale.py [--bundles N ...] [--engines local:1,local:2,ray:1,ray:2,whole]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import psutil

import streaming

FILES = 20


def write_eval(folder: Path, texts: list[str], bundles: int) -> None:
    whole = folder.with_suffix(".parquet")
    streaming.write_bundles(whole, texts, bundles)
    folder.mkdir()
    for number in range(FILES):
        rows = -(-bundles // FILES)
        pl.scan_parquet(whole).slice(number * rows, rows).collect().write_parquet(
            folder / f"part-{number:03d}.parquet"
        )


def measured(command: list[str]) -> tuple[float, dict[str, float], float]:
    """Seconds; peak of resident memory by kind of process, and of the sum of proportional shares, in GB."""
    start = time.perf_counter()
    child = psutil.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"SOURCE_DATE_EPOCH": "0"},
    )
    peaks: dict[str, float] = {}
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
            except psutil.Error:
                continue
            is_worker = "spawn_main" in line or line.startswith("ray::_Actor")
            kind = "driver" if process is child else "worker" if is_worker else "other"
            peaks[kind] = max(peaks.get(kind, 0.0), full.rss / 1e9)
            total += full.pss / 1e9
        together = max(together, total)
        time.sleep(0.1)
    if child.wait():
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    return time.perf_counter() - start, peaks, together


def limits(directory: Path) -> str:
    data = np.zeros(2**28, dtype=np.uint8)
    target = data.copy()
    start = time.perf_counter()
    np.copyto(target, data)
    copied = 2 * data.nbytes / (time.perf_counter() - start) / 1e9
    path = directory / "limit"
    start = time.perf_counter()
    with path.open("wb") as file:
        file.write(np.random.default_rng(0).bytes(data.nbytes))
        os.fsync(file.fileno())
    wrote = data.nbytes / (time.perf_counter() - start) / 1e9
    start = time.perf_counter()
    path.read_bytes()
    read = data.nbytes / (time.perf_counter() - start) / 1e9
    path.unlink()
    disk = f"{wrote:.2f} GB/s written, {read:.1f} GB/s from its cache"
    return f"this machine: memory {copied:.1f} GB/s copied, disk {disk}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bundles", type=int, nargs="+", default=[2_000_000])
    parser.add_argument("--engines", default="whole,local:1,local:2,ray:1,ray:2")
    chosen = parser.parse_args()
    texts = streaming.pool()
    with TemporaryDirectory() as name:
        directory = Path(name)
        print(limits(directory), flush=True)
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
                seconds, peaks, together = measured(
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
                    + f", all together {together:.2f}",
                    flush=True,
                )
            boards = {json.dumps(result[1:3], sort_keys=True) for result in results.values()}
            files = {result[3] for result in results.values() if result[3]}
            print(
                f"  figures equal: {len(boards) == 1}; "
                f"files of scores equal (names hold digests): {len(files) <= 1}"
            )
            for workers in ("1", "2"):
                if {f"local:{workers}", f"ray:{workers}"} <= results.keys():
                    ratio = results[f"ray:{workers}"][0] / results[f"local:{workers}"][0]
                    print(f"  Ray over local with {workers} worker(s): {ratio:.2f} times the time")


if __name__ == "__main__":
    main()
