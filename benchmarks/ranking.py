"""The ranking pass against sentence-transformers' RerankingEvaluator, on the same vectors, in one process.

Both go from vectors and (query, target, distractors) to ranks. The evaluator's encoder is a look-up in the
vectors, whose own time is shown and taken off. Beside them the machine's limit: reading the same rows in the
same order.

Usage: python benchmarks/ranking.py [ITEMS]
"""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any

import numpy as np
import torch
from sentence_transformers.sentence_transformer.evaluation import RerankingEvaluator

from tellapart.core.ranking import rank_options
from tellapart.embed.cosine import cosine_pairs

DISTRACTORS, DIMENSIONS, ROUNDS = 19, 384, 3


class Lookup:
    """Encodes the text "17" as row 17, and counts the seconds that this takes."""

    similarity_fn_name = "cosine"

    def __init__(self, vectors: np.ndarray) -> None:
        """Serve rows of ``vectors``."""
        self.vectors = torch.from_numpy(vectors)
        self.seconds = 0.0

    def encode(self, texts: list[str], **_: Any) -> torch.Tensor:
        """Look rows up."""
        start = perf_counter()
        rows = self.vectors[[int(text) for text in texts]]
        self.seconds += perf_counter() - start
        return rows

    encode_query = encode_document = encode


def ours(vectors: np.ndarray, options: np.ndarray, queries: np.ndarray) -> float:
    items, width = options.shape
    cosines = cosine_pairs(vectors, vectors, np.repeat(queries, width), options.ravel())
    offsets = np.arange(0, items * width + 1, width)
    return float(rank_options(cosines, offsets, np.zeros(items, np.int64)).reciprocal_rank.mean())


def theirs(model: Lookup, options: np.ndarray, queries: np.ndarray) -> float:
    samples = [
        {"query": str(query), "positive": [str(row[0])], "negative": [str(i) for i in row[1:]]}
        for query, row in zip(queries, options, strict=True)
    ]
    evaluator = RerankingEvaluator(samples, at_k=DISTRACTORS + 1, write_csv=False)
    return float(evaluator.compute_metrics(model)["mrr"])


def main() -> None:
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((20_000, DIMENSIONS), dtype=np.float32)
    options = rng.integers(0, len(vectors), (items, DISTRACTORS + 1))
    queries = rng.integers(0, len(vectors), items)
    model = Lookup(vectors)
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        start = perf_counter()
        vectors[options.ravel()].sum()
        read = perf_counter() - start
        start = perf_counter()
        mine = ours(vectors, options, queries)
        own = perf_counter() - start
        model.seconds, start = 0.0, perf_counter()
        other = theirs(model, options, queries)
        peer = perf_counter() - start - model.seconds
        for name, seconds in (("read rows", read), ("tellapart", own), ("RerankingEvaluator", peer)):
            best[name] = min(best.get(name, seconds), seconds)
    print(f"{items:,} items, {DISTRACTORS} distractors, {DIMENSIONS} dimensions; best of {ROUNDS}")
    print(f"MRR tellapart {mine:.6f}, RerankingEvaluator {other:.6f}")
    for name, seconds in best.items():
        print(f"{name:<20}{seconds:9.3f} s{1e6 * seconds / items:10.1f} us/item")
    print(f"RerankingEvaluator / tellapart  {best['RerankingEvaluator'] / best['tellapart']:6.1f} x")
    print(f"tellapart / read rows           {best['tellapart'] / best['read rows']:6.1f} x")


if __name__ == "__main__":
    main()
