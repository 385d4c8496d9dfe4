"""Auditing 20 models: the whole audit at three sizes, and its bootstrap beside scipy's.

- Whole audit: rows of a table become findings (``ScoreTable.from_frame`` and ``analyse``), in a fresh process
  for each size and kind of scores; memory is the peak of that process, the frame of rows included.
- Bootstrap: 10,000 resamples of 100,000 items, the means of 20 models, BCa. scipy.stats.bootstrap takes one
  model at a time; a few are measured, and multiplied. Its quickest method is "percentile"; its BCa leaves out
  one item at a time, and one pair of it is measured with "--bca". Intervals must agree within their noise.
- The machine's limits: numpy drawing as many random indices as one bootstrap takes, and the product of as
  many counts with the scores on all cores.

Usage: python benchmarks/audit.py [--bca] [ITEMS ...]
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl
from scipy import stats

from tellapart.audit import analyse
from tellapart.core.estimate import EstimateWithError
from tellapart.core.scores import ScoreTable
from tellapart.core.stats import bootstrap_means

MODELS, ITEMS, RESAMPLES = 20, (25_000, 100_000, 400_000), 10_000
KINDS = ("binary", "graded", "clustered", "missing")
"""Scores of 0 and 1, in between, the same with five items a cluster, and 0 and 1 of which 2 % are missing."""
MEASURED, BATCHES = (0, 3, 19), (10, 30, 100)
"""The models that scipy is measured on, and the batches of resamples that it may choose from."""


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


def ours(scores: np.ndarray) -> tuple[EstimateWithError, ...]:
    return bootstrap_means(scores, rng=np.random.default_rng(0), resamples=RESAMPLES).means


def scipys(scores: np.ndarray, model: int, method: str, batch: int, resamples: int) -> Any:
    return stats.bootstrap(
        (scores[model],),
        np.mean,
        vectorized=True,
        n_resamples=resamples,
        batch=batch,
        method=method,
        rng=np.random.default_rng(1),
    )


def agree(found: EstimateWithError, theirs: Any) -> None:
    """Stop unless both ends are within 0.15 standard errors, 4 x sqrt(2) times their noise."""
    apart = np.subtract((found.interval.low, found.interval.high), tuple(theirs.confidence_interval))
    if np.abs(apart).max() > 0.15 * theirs.standard_error:
        raise SystemExit(f"interval by scipy {theirs.confidence_interval}, by tellapart {found.interval}")


def timed(work: Any, *arguments: Any) -> tuple[Any, float]:
    start = perf_counter()
    result = work(*arguments)
    return result, perf_counter() - start


def draw_indices(items: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(RESAMPLES // 20):
        rng.integers(0, items, (20, items))


def multiply(scores: np.ndarray) -> None:
    counts, columns = np.ones((200, scores.shape[1])), np.ascontiguousarray(scores.T)
    for _ in range(RESAMPLES // 200):
        counts @ columns


def beside_scipy(items: int, with_bca: bool) -> None:
    """Rounds of all parts follow one another, so that a busy machine slows them alike."""
    scores = scores_of("graded", items)
    found, batch = ours(scores[:, :500]), min(BATCHES, key=lambda size: timed_batch(scores, size))
    print(f"\n{RESAMPLES:,} resamples of {items:,} items, {MODELS} models; scipy in batches of {batch}")
    ratios = []
    for model in MEASURED:
        found, mine = timed(ours, scores)
        theirs, one = timed(scipys, scores, model, "percentile", batch, RESAMPLES)
        agree(found[model], theirs)
        _, drawing = timed(draw_indices, items)
        _, product = timed(multiply, scores)
        ratios.append(one * MODELS / mine)
        print(
            f"  tellapart, all models {mine:7.2f} s   scipy percentile, one model {one:7.2f} s "
            f"({ratios[-1]:,.0f} x)   limits: drawing {drawing:.2f} s, products {product:.2f} s"
        )
    print(f"  scipy, percentile, over all models would take {np.median(ratios):,.0f} x as long (median)")
    if with_bca:
        theirs, one = timed(scipys, scores, MEASURED[0], "BCa", batch, RESAMPLES)
        agree(found[MEASURED[0]], theirs)
        print(f"  scipy, BCa: one model {one:.0f} s, {one * MODELS / mine:,.0f} x")


def timed_batch(scores: np.ndarray, batch: int) -> float:
    return timed(scipys, scores, MEASURED[0], "percentile", batch, 200)[1]


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["--child"]:
        print(json.dumps(whole(words[1], int(words[2]))))
        return
    sizes = [int(word) for word in words if word != "--bca"] or list(ITEMS)
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
    beside_scipy(100_000, "--bca" in words)


if __name__ == "__main__":
    main()
