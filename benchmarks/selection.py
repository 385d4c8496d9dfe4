"""Selection of distractors against faiss alone and against mine_hard_negatives, on the same vectors.

One process and the same number of neighbours for all three: our selection chooses the very_hard level (19
distractors, 70 % from a window of ranks, 30 % from the same file) for every unit; mine_hard_negatives
samples 19 from the same window of ranks, with faiss. Peak memory is that of the whole process after our part.

Usage: python benchmarks/selection.py [UNITS]
"""

from __future__ import annotations

import resource
import sys
from time import perf_counter
from typing import Any

import faiss
import numpy as np
import torch
from datasets import Dataset
from sentence_transformers.util import mine_hard_negatives

from tellapart.contrastive.selection.candidates import LISTED, Candidates
from tellapart.contrastive.selection.distractors import choose_distractors
from tellapart.contrastive.selection.levels import levels_named
from tellapart.contrastive.selection.selectors import EmbedderSelector
from tellapart.extraction.unit import Unit

DIMENSIONS, PER_FILE, CLUSTERS = 384, 20, 2_000


class Given:
    """An embedder, and a stand-in for a sentence-transformers model, that serves given vectors by text."""

    name = fingerprint = "given"

    def __init__(self, vectors: np.ndarray) -> None:
        """Serve row i for the text ``i`` and for ``q i``."""
        self.vectors = vectors

    def encode(self, texts: list[str], **_: Any) -> np.ndarray:
        """Look rows up."""
        return self.vectors[[int(text.removeprefix("q ")) for text in texts]]

    encode_query = encode_document = encode

    def get_embedding_dimension(self) -> int:
        """Width of a row."""
        return int(self.vectors.shape[1])

    def similarity_pairwise(self, left: np.ndarray, right: np.ndarray) -> torch.Tensor:
        """Cosines of rows, which are unit length."""
        return torch.from_numpy(np.einsum("ij,ij->i", left, right))

    def __getattr__(self, name: str) -> Any:
        """Whatever else is asked of a model is absent."""
        if name.startswith("__"):
            raise AttributeError(name)
        return None


def clustered(units: int) -> np.ndarray:
    """Unit rows around common centres, as real code has them."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((CLUSTERS, DIMENSIONS), dtype=np.float32)
    rows = centres[rng.integers(0, CLUSTERS, units)] + rng.standard_normal(
        (units, DIMENSIONS), dtype=np.float32
    )
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def unit(i: int) -> Unit:
    """A unit that is nothing but its number."""
    return Unit(
        f"u{i}", f"f{i // PER_FILE}", "f", "function", "python", str(i), "f()", (), None, None, i * 10, i * 10
    )


def search_alone(vectors: np.ndarray) -> float:
    start = perf_counter()
    index = faiss.IndexFlatIP(DIMENSIONS)
    index.add(vectors)
    for at in range(0, len(vectors), 4096):
        index.search(vectors[at : at + 4096], LISTED + 1)
    return perf_counter() - start


def selection(vectors: np.ndarray) -> float:
    units = [unit(i) for i in range(len(vectors))]
    summaries = {i: f"summary {i}" for i in range(len(units))}
    start = perf_counter()
    candidates = Candidates(units, summaries, EmbedderSelector(units, Given(vectors)))
    sets, short = choose_distractors(candidates, range(len(units)), levels_named(["very_hard"]), seed=42)
    seconds = perf_counter() - start
    print(f"chose for {len(sets):,} of {len(units):,} targets, {len(short)} short")
    return seconds


def mining(vectors: np.ndarray) -> float:
    rows = [str(i) for i in range(len(vectors))]
    dataset = Dataset.from_dict({"anchor": [f"q {row}" for row in rows], "positive": rows})
    start = perf_counter()
    mine_hard_negatives(
        dataset, Given(vectors), range_min=5, range_max=LISTED, num_negatives=19, sampling_strategy="random",
        max_score=0.98, use_faiss=True, faiss_batch_size=4096, output_format="n-tuple", verbose=False,
    )  # fmt: skip
    return perf_counter() - start


def matrix_product() -> float:
    """Multiply-adds a second of a large float32 product, best of five: what a search cannot exceed."""
    square = np.random.default_rng(0).standard_normal((4096, 4096), dtype=np.float32)
    best = float("inf")
    for _ in range(5):
        start = perf_counter()
        square @ square
        best = min(best, perf_counter() - start)
    return 4096**3 / best


def main() -> None:
    units = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    vectors = clustered(units)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    first = search_alone(vectors)
    ours = selection(vectors)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    theirs = mining(vectors)
    # Before and after, since a shared machine may be slower in one half of the run than in the other.
    alone = (first + search_alone(vectors)) / 2
    share = 100 * units * units * DIMENSIONS / alone / matrix_product()
    print(f"{units:,} units x {DIMENSIONS} dimensions, {LISTED} neighbours")
    print(f"{'selection':<22}{ours:8.1f} s   peak {peak:,.0f} MB ({before:,.0f} MB before anything ran)")
    print(f"{'faiss alone':<22}{alone:8.1f} s   {share:.0f} % of this machine's matrix product")
    print(f"{'mine_hard_negatives':<22}{theirs:8.1f} s")
    print(f"selection / faiss alone          {ours / alone:6.2f} x")
    print(f"mine_hard_negatives / selection  {theirs / ours:6.2f} x")


if __name__ == "__main__":
    main()
