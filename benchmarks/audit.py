"""Auditing 20 models at three sizes.

Rows of a table become findings (``ScoreTable.from_frame`` and ``analyse``), in a fresh process for each size
and kind of scores; memory is the peak of that process, the frame of rows included.

Usage: python benchmarks/audit.py [ITEMS ...]
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from time import perf_counter

import numpy as np
import polars as pl

from tellapart.audit import analyse
from tellapart.core.scores import ScoreTable

MODELS, ITEMS = 20, (25_000, 100_000, 400_000)
KINDS = ("binary", "graded", "clustered", "missing")
"""Scores of 0 and 1, in between, the same with five items a cluster, and 0 and 1 of which 2 % are missing."""


def scores_of(kind: str, items: int) -> np.ndarray:
    """Draw scores of models of rising ability on items of all difficulties, shape (models, items)."""
    rng = np.random.default_rng(0)
    difficulty = rng.normal(scale=1.5, size=items)
    chance = 1 / (1 + np.exp(difficulty - np.linspace(-1, 1, MODELS)[:, None]))
    if kind in ("graded", "clustered"):
        return np.clip(chance + rng.normal(scale=0.2, size=chance.shape), 0, 1)
    scores = (rng.random(chance.shape) < chance).astype(np.float64)
    if kind == "missing":
        scores[rng.random(chance.shape) < 0.02] = np.nan
    return scores


def rows_of(kind: str, items: int) -> pl.DataFrame:
    """Lay scores out as rows, with a stratum of four kinds."""
    scores, item = scores_of(kind, items), np.arange(items)
    frame = pl.DataFrame(
        {
            "model": np.repeat([f"model-{m:02d}" for m in range(MODELS)], items),
            "item": np.tile([f"item-{i:07d}" for i in item], MODELS),
            "score": pl.Series(scores.ravel()).fill_nan(None),
            "level": np.tile(np.array(["easy", "medium", "hard", "adversarial"])[item % 4], MODELS),
            "cluster": np.tile([f"file-{i // 5}" for i in item], MODELS) if kind == "clustered" else None,
        },
        schema_overrides={"cluster": pl.String},
    )
    return frame.with_columns(missing=pl.when(pl.col("score").is_null()).then(pl.lit("parse")))


def whole(kind: str, items: int) -> dict[str, float]:
    """Audit once; loops are compiled before, on a small table."""
    analyse(ScoreTable.from_frame(rows_of(kind, 500)))
    rows = rows_of(kind, items)
    start = perf_counter()
    table = ScoreTable.from_frame(rows)
    read = perf_counter()
    analyse(table)
    return {
        "table_s": read - start,
        "audit_s": perf_counter() - read,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
    }


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["--child"]:
        print(json.dumps(whole(words[1], int(words[2]))))
        return
    sizes = [int(word) for word in words] or list(ITEMS)
    print(f"{MODELS} models; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before")
    for kind in KINDS:
        print(f"\nwhole audit, {kind}")
        first: dict[str, float] = {}
        for items in sizes:
            child = [sys.executable, __file__, "--child", kind, str(items)]
            found = json.loads(subprocess.run(child, check=True, stdout=subprocess.PIPE, text=True).stdout)
            seconds = found["table_s"] + found["audit_s"]
            first = first or {"seconds": seconds, "items": items}
            growth = seconds / first["seconds"] / (items / first["items"])
            print(
                f"  {items:9,} items {seconds:8.2f} s, of which checking rows {found['table_s']:.2f} s; "
                f"{1e6 * seconds / items:6.1f} us an item, {growth:.2f} x linear; {found['peak_gb']:.2f} GB"
            )


if __name__ == "__main__":
    main()
