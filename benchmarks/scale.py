"""Scoring an eval in one file, and the same in many files; by name of an engine and number of workers.

Vectors come from a file, so that no worker has anything to do: this measures the command itself.

The eval is 2,000,000 bundles of 20 negatives over 100,000 texts, with 384 dimensions from an .npz, in 20
files of Parquet; see `streaming.py`. Seconds are of the whole command, and of work of its processes. The peak
is that of all its processes together: proportional shares (PSS) of resident memory, sampled ten times a
second. At the end the files of scores are held against each other, byte for byte.

Usage: python benchmarks/scale.py [--bundles N ...] [--engines whole,local:1,ray:2]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import polars as pl
import psutil

import streaming

FILES = 20


def write_eval(folder: Path, texts: list[str], bundles: int, files: int = FILES) -> None:
    whole = folder.with_suffix(".parquet")
    streaming.write_bundles(whole, texts, bundles)
    folder.mkdir()
    rows = -(-bundles // files)
    for number in range(files):
        part = pl.scan_parquet(whole).slice(number * rows, rows).collect()
        part.write_parquet(folder / f"part-{number:03d}.parquet")


class Measured(NamedTuple):
    """A command: time that passed, time that its processes worked, and their peak of memory together."""

    seconds: float
    work_s: float
    peak_gb: float


def measured(command: list[str]) -> Measured:
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    child = psutil.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"SOURCE_DATE_EPOCH": "0"},
    )
    peak = 0
    while child.poll() is None:
        together = 0
        try:
            for process in [child, *child.children(recursive=True)]:
                together += process.memory_full_info().pss
        except psutil.Error:
            continue
        peak = max(peak, together)
        time.sleep(0.1)
    if child.wait():
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    work_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measured(seconds, work_s, peak / 1e9)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bundles", type=int, nargs="+", default=[2_000_000])
    parser.add_argument("--engines", default="whole,local:1")
    chosen = parser.parse_args()
    texts = streaming.pool()
    with TemporaryDirectory() as name:
        directory = Path(name)
        vectors = directory / "vectors.npz"
        streaming.write_vectors(vectors, texts)
        for bundles in chosen.bundles:
            folder = directory / f"eval-{bundles}"
            write_eval(folder, texts, bundles)
            results = []
            for engine in chosen.engines.split(","):
                out = directory / f"{engine.replace(':', '-')}-{bundles}.json"
                kind, _, workers = engine.partition(":")
                source = folder.with_suffix(".parquet") if kind == "whole" else folder
                options = [] if kind == "whole" else ["--engine", kind, "--workers", workers]
                command = [sys.executable, "-m", "tellapart", "bundles", "score", str(source)]
                command += ["--embeddings", str(vectors), "--name", "v", "--out", str(out), *options]
                seconds, work_s, peak_gb = measured(command)
                overall = json.dumps(json.loads(out.read_text())["overall"])
                results.append((overall, out.with_name(f"{out.stem}.scores.parquet").read_bytes()))
                print(
                    f"{bundles:,} bundles, {engine}: {seconds:.1f} s, {work_s:.1f} s of work, "
                    f"{bundles / seconds:,.0f} bundles/s, peak {peak_gb:.2f} GB",
                    flush=True,
                )
            print(f"  figures equal: {len({figures for figures, _ in results}) == 1}; ", end="")
            print(f"files of scores equal: {len({scores for _, scores in results}) == 1}")


if __name__ == "__main__":
    main()
