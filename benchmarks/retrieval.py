"""Whole-pool retrieval: each summary against its own code and that of 999 other functions.

The setting in which models are publicly compared on CodeSearchNet (Python: all-MiniLM-L6-v2 is reported
there at MRR .751 and R@1 .650), here on the standard library of this Python, whose docstrings say less.

Usage: python benchmarks/retrieval.py [MODEL] [PAIRS]
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from time import perf_counter

import numpy as np

from tellapart.contrastive.build import pick_targets
from tellapart.contrastive.material import gather_material
from tellapart.core.ranking import rank_options
from tellapart.core.stats import clustered_mean, clustered_rate
from tellapart.embed import load_matcher


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "minilm"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
    material = gather_material([Path(sysconfig.get_path("stdlib"))])
    text = {summary.unit: summary.text for summary in material.summaries}
    functions = [i for i, unit in enumerate(material.units) if unit.type != "class" and unit.id in text]
    pairs = [material.units[i] for i in pick_targets(material.units, functions, count, seed=42)]
    start = perf_counter()
    matcher = load_matcher(name, corpus=[unit.content for unit in material.units])
    query, document = np.divmod(np.arange(len(pairs) ** 2), len(pairs))
    scores = matcher.score_pairs(
        [text[unit.id] for unit in pairs], [unit.content for unit in pairs], query, document
    )
    offsets = np.arange(0, len(scores) + 1, len(pairs))
    ranking = rank_options(scores, offsets, np.arange(len(pairs)))
    files = [unit.path for unit in pairs]
    mrr = clustered_mean(ranking.reciprocal_rank, files)
    first = clustered_rate(ranking.top(1), files)
    print(f"{name}: {len(pairs):,} functions, {len(pairs) - 1} distractors, {perf_counter() - start:.1f} s")
    for label, value, interval in (("MRR", mrr.value, mrr.interval), ("R@1", first.value, first.interval)):
        print(f"{label}  {value:.3f}  95 % interval {interval.low:.3f} to {interval.high:.3f}")


if __name__ == "__main__":
    main()
