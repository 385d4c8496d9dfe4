"""The peers of the bundles benchmark: sentence-transformers' RerankingEvaluator, ranx, and bare reading."""

from __future__ import annotations

import warnings
from time import perf_counter
from typing import Any

import numpy as np
import torch
from numba import njit, prange
from numba.core.errors import NumbaTypeSafetyWarning
from ranx import Qrels, Run, evaluate
from sentence_transformers.sentence_transformer.evaluation import RerankingEvaluator

warnings.filterwarnings("ignore", category=NumbaTypeSafetyWarning)  # ranx's.


@njit(parallel=True, nogil=True, cache=True)
def read_rows(vectors: np.ndarray, anchors: np.ndarray, options: np.ndarray, sums: np.ndarray) -> None:
    """Do nothing but read: add up the 32-bit words of each lineup's rows, on all cores, row after row."""
    width, dimensions = len(options) // len(anchors), vectors.shape[1]
    for lineup in prange(len(anchors)):
        total = np.int32(0)
        row = vectors[anchors[lineup]]
        for j in range(dimensions):
            total = np.int32(total + row[j])
        for place in range(lineup * width, (lineup + 1) * width):
            row = vectors[options[place]]
            for j in range(dimensions):
                total = np.int32(total + row[j])
        sums[lineup] = total


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


def reranking_evaluator(vectors: np.ndarray, anchors: np.ndarray, options: np.ndarray) -> tuple[float, float]:
    """MRR by the evaluator and its seconds; making its samples and looking vectors up are left out."""
    lineups = options.reshape(len(anchors), -1)
    samples = [
        {"query": str(anchor), "positive": [str(row[0])], "negative": [str(i) for i in row[1:]]}
        for anchor, row in zip(anchors, lineups, strict=True)
    ]
    evaluator = RerankingEvaluator(samples, at_k=lineups.shape[1], write_csv=False)
    model = Lookup(vectors)
    start = perf_counter()
    mrr = float(evaluator.compute_metrics(model)["mrr"])
    return mrr, perf_counter() - start - model.seconds


def ranx_from_objects(scores: np.ndarray) -> tuple[float, float, float]:
    """MRR by ranx as its documentation has it; seconds of building Qrels and Run, and of evaluate."""
    names = [str(option) for option in range(scores.shape[1])]
    queries = [f"{query:07d}" for query in range(len(scores))]
    start = perf_counter()
    qrels = Qrels({query: {names[0]: 1} for query in queries})
    rows = zip(queries, scores.tolist(), strict=True)
    run = Run({query: dict(zip(names, row, strict=True)) for query, row in rows})
    built = perf_counter()
    mrr = float(evaluate(qrels, run, "mrr"))
    return mrr, built - start, perf_counter() - built


def ranx_from_arrays(scores: np.ndarray) -> tuple[float, float, float]:
    """The quickest way into ranx: arrays of ids and scores, which it wants sorted; seconds as above."""
    start = perf_counter()
    order = np.argsort(-scores, axis=1)
    run = np.empty((*scores.shape, 2))
    run[:, :, 0] = order
    run[:, :, 1] = np.take_along_axis(scores, order, axis=1)
    qrels = np.zeros((len(scores), 1, 2))
    qrels[:, 0, 1] = 1
    built = perf_counter()
    mrr = float(evaluate(qrels, run, "mrr"))
    return mrr, built - start, perf_counter() - built
