"""Scoring bundles beside the peers: the same vectors, the same scores, one process for each scale.

200,000 bundles of 20 negatives, 384 dimensions, 100,000 distinct vectors; then 4 and 16 times the bundles.

- tellapart goes from float32 vectors and the numbers of texts to TierStats: unit vectors, cosines, ranks,
  margins, tiers, and figures with intervals for all bundles and for each tier.
- The machine's limit is reading the same rows in the same order on all cores, and nothing else.
- RerankingEvaluator goes from vectors to MRR, MAP and nDCG, for a sample; see ``peers``.
- ranx goes from scores to MRR, sorting included: from arrays, and for a sample from its own Qrels and Run.
  Against it runs ``rank_options`` from the same scores to MRR.

MRRs must agree to 1e-6. Rounds of all parts follow one another, so that a busy machine slows them alike; a
ratio is the median of the rounds, with the lowest and the highest behind it. Memory is the peak of a part
above what the process held before.

Usage: python benchmarks/bundles.py [SCALE ...]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl

from peers import ranx_from_arrays, ranx_from_objects, read_rows, reranking_evaluator
from tellapart.bundles.scoring import EvalItems, TextNumbers, score_items
from tellapart.bundles.tier_stats import TierStats, stats_by_tier
from tellapart.bundles.tiers import given_or_cut
from tellapart.core.ranking import rank_options
from tellapart.embed.lineups import Lineups
from tellapart.embed.similarity import Embedded, VectorRows, VectorSimilarity

BUNDLES, OPTIONS, DIMENSIONS, VECTORS = 200_000, 21, 384, 100_000
SCALES = {1: 7, 4: 4, 16: 3}
"""Times ``BUNDLES``, and rounds."""
EVALUATED, GATHERED, OBJECTS = 1_000, 10_000, 20_000
"""Bundles in the samples for RerankingEvaluator, numpy's gather and ranx's own objects."""


class Eval:
    """Random vectors and bundles; the same at every run."""

    def __init__(self, scale: int) -> None:
        """Draw ``scale`` times ``BUNDLES``."""
        rng = np.random.default_rng(0)
        bundles = scale * BUNDLES
        self.vectors = rng.standard_normal((VECTORS, DIMENSIONS), dtype=np.float32)
        self.anchors = rng.integers(0, VECTORS, bundles, dtype=np.int32)
        # A step from the positive to each negative, never 0: none is its copy, which would tie.
        steps = rng.integers(1, VECTORS, (bundles, OPTIONS), dtype=np.int32)
        steps[:, 0] = 0
        steps += rng.integers(0, VECTORS, (bundles, 1), dtype=np.int32)
        self.options = (steps % VECTORS).ravel()
        self.offsets = np.arange(0, bundles * OPTIONS + 1, OPTIONS)
        frame = pl.select(
            line=pl.int_range(1, bundles + 1),
            bundle_id=pl.format("b{}", pl.int_range(bundles)),
            tier=pl.lit(None, pl.String),
            cluster=pl.Series(self.anchors).cast(pl.String),
        )
        lineups = Lineups(self.anchors, self.options, self.offsets)
        self.items = EvalItems(frame, lineups, TextNumbers(), TextNumbers())

    def read(self) -> None:
        """Read the rows of every bundle."""
        read_rows(
            self.vectors.view(np.int32), self.anchors, self.options, np.empty(len(self.anchors), np.int32)
        )

    def ours(self) -> dict[str, TierStats]:
        """All of the suite but reading and writing files."""
        no_faults = np.empty(0, dtype=np.str_)
        embedded = Embedded(self.cosines(), no_faults, no_faults)
        scores = score_items(self.items, embedded, model="model")
        tiers, _ = given_or_cut(scores["tier"], scores["margin"].to_numpy())
        return stats_by_tier(scores.with_columns(tiers.cast(pl.String)))

    def similarities(self) -> np.ndarray:
        """What ranx and ``rank_options`` are given, shape (bundles, options)."""
        anchors = np.repeat(self.anchors.astype(np.int64), OPTIONS)
        return self.cosines()(anchors, self.options.astype(np.int64)).reshape(-1, OPTIONS)

    def cosines(self) -> VectorSimilarity:
        """The vectors, measured anew."""
        rows = VectorRows.of(self.vectors)
        return VectorSimilarity(rows, rows)


def rank_to_mrr(scores: np.ndarray, offsets: np.ndarray) -> float:
    return float(
        rank_options(scores.ravel(), offsets, np.zeros(len(scores), np.int64)).reciprocal_rank.mean()
    )


def agree(name: str, mrr: float, ours: float) -> None:
    if abs(mrr - ours) > 1e-6:
        raise SystemExit(f"MRR by {name} {mrr!r}, by tellapart {ours!r}")


class Stopwatch:
    """Seconds of each part in each round, and each part's highest peak of memory."""

    def __init__(self) -> None:
        """Start with nothing measured."""
        self.seconds: dict[str, list[float]] = {}
        self.peak_gb: dict[str, float] = {}

    def add(self, part: str, seconds: float) -> None:
        """Note one round."""
        self.seconds.setdefault(part, []).append(seconds)

    def time(self, part: str, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run a part, and note its time and peak."""
        Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak starts from what is held now.
        before, start = resident_gb("VmRSS"), perf_counter()
        result = work(*arguments)
        self.add(part, perf_counter() - start)
        self.peak_gb[part] = max(self.peak_gb.get(part, 0.0), resident_gb("VmHWM") - before)
        return result

    def ratios(self, part: str, to: str) -> list[float]:
        """Lowest, median and highest over the rounds of one part's time over another's."""
        of_rounds = np.divide(self.seconds[part], self.seconds[to])
        return [float(q) for q in np.quantile(of_rounds, [0, 0.5, 1])]


def resident_gb(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) * 1024 / 1e9


def one_round(data: Eval, watch: Stopwatch, scores: np.ndarray) -> None:
    bundles, sample = len(scores), slice(0, EVALUATED * OPTIONS)
    watch.time("read rows", data.read)
    stats = watch.time("tellapart", data.ours)
    mrr, seconds = watch.time(
        "evaluator, all", reranking_evaluator, data.vectors, data.anchors[:EVALUATED], data.options[sample]
    )
    agree("RerankingEvaluator", mrr, rank_to_mrr(scores[:EVALUATED], data.offsets[: EVALUATED + 1]))
    watch.add("RerankingEvaluator", seconds * bundles / EVALUATED)
    ours = watch.time("scores to MRR", rank_to_mrr, scores, data.offsets)
    agree("TierStats", stats["overall"].mrr or 0.0, ours)
    mrr, _, evaluation = watch.time("ranx, arrays", ranx_from_arrays, scores)
    agree("ranx from arrays", mrr, ours)
    watch.add("ranx, arrays, evaluate only", evaluation)
    mrr, build, evaluation = watch.time("ranx, objects, sample", ranx_from_objects, scores[:OBJECTS])
    agree("ranx", mrr, rank_to_mrr(scores[:OBJECTS], data.offsets[: OBJECTS + 1]))
    watch.add("ranx, objects", (build + evaluation) * bundles / OBJECTS)
    watch.add("ranx, objects, evaluate only", evaluation * bundles / OBJECTS)


def measure(scale: int) -> dict[str, Any]:
    """All rounds of one scale; loops are compiled before, on a small eval."""
    data = Eval(scale)
    scores = data.similarities()
    data.read(), data.ours(), rank_to_mrr(scores[:100], data.offsets[:101])
    ranx_from_arrays(scores[:100]), ranx_from_objects(scores[:100])
    watch = Stopwatch()
    for _ in range(SCALES.get(scale, 3)):
        one_round(data, watch, scores)
    start = perf_counter()
    data.vectors[data.options[: GATHERED * OPTIONS]].sum()
    watch.add("numpy gather", (perf_counter() - start) * len(scores) / GATHERED)
    return {
        "seconds": {part: min(rounds) for part, rounds in watch.seconds.items()},
        "peak_gb": watch.peak_gb,
        "ratios": {
            "of the read bandwidth": watch.ratios("read rows", "tellapart"),
            "x RerankingEvaluator": watch.ratios("RerankingEvaluator", "tellapart"),
            "x ranx, objects to MRR": watch.ratios("ranx, objects", "scores to MRR"),
            "x ranx, arrays to MRR": watch.ratios("ranx, arrays", "scores to MRR"),
        },
        "read_gb": len(scores) * (OPTIONS + 1) * DIMENSIONS * 4 / 1e9,
    }


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(measure(int(sys.argv[2]))))
        return
    load = f"{os.getloadavg()[0]:.1f} before" if hasattr(os, "getloadavg") else "unknown"
    print(
        f"{BUNDLES:,} bundles x {OPTIONS - 1} negatives x {DIMENSIONS}; {os.cpu_count()} cores, load {load}"
    )
    first: dict[str, Any] = {}
    for scale in [int(word) for word in sys.argv[1:]] or SCALES:
        child = [sys.executable, __file__, "--child", str(scale)]
        found = json.loads(subprocess.run(child, check=True, stdout=subprocess.PIPE, text=True).stdout)
        first = first or {**found, "scale": scale}
        show(scale, found, first)


def show(scale: int, found: dict[str, Any], first: dict[str, Any]) -> None:
    bundles = scale * BUNDLES
    print(f"\n{scale}x: {bundles:,} bundles, best of {SCALES.get(scale, 3)}")
    for part, seconds in found["seconds"].items():
        growth = seconds / first["seconds"][part] / (scale / first["scale"])
        peak = f"{found['peak_gb'][part]:8.2f} GB" if part in found["peak_gb"] else ""
        print(f"  {part:<30}{seconds:10.3f} s{1e6 * seconds / bundles:10.2f} us each {growth:6.2f}{peak}")
    bandwidth = found["read_gb"] / found["seconds"]["read rows"]
    print(f"  random rows are read at {bandwidth:.1f} GB/s; the fourth column is time over linear growth")
    for name, (low, median, high) in found["ratios"].items():
        print(f"  tellapart {median:8.2f} {name} ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
