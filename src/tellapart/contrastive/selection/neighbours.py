"""Nearest neighbours, exact, without ever holding an N x N array, and without favouring hubs.

A hub is among the nearest neighbours of many targets, but few targets are hubs: chosen by plain similarity,
distractors are hubs, and a model that likes hubs errs whatever it is asked. Standardising each candidate's
score over a sample of queries takes that away.

Source: Radovanović, Nanopoulos and Ivanović, "Hubs in Space", JMLR 2010; Schnitzer et al., "Local and Global
Scaling Reduce Hubs in Space", JMLR 2012.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import faiss
import numpy as np

from tellapart.core.arrays import F32, F64, I64

_BLOCK = 4096


def nearest(queries: F32, documents: F32, targets: I64, pool: I64, k: int) -> I64:
    """Find the ``k`` units of ``pool`` whose document has the largest product with each target's query.

    Products that agree in five decimals count as tied and are ordered by position.
    """
    index = faiss.IndexFlatIP(documents.shape[1])
    index.add(np.ascontiguousarray(documents[pool]))
    wanted = min(k + 1, len(pool))
    ranked = np.empty((len(targets), k), dtype=np.int64)
    for start in range(0, len(targets), _BLOCK):
        block = targets[start : start + _BLOCK]
        products, positions = index.search(np.ascontiguousarray(queries[block]), wanted)
        order = np.lexsort((positions, -np.round(products, 5)), axis=1)
        ranked[start : start + len(block)] = without_self(
            pool[np.take_along_axis(positions, order, axis=1)], block, k
        )
    return ranked


def inner_products(query: F32 | F64, documents: F32 | F64) -> F64:
    """Inner product of a row of shape (d,) with each row of shape (n, d), summed in double precision."""
    products: F64 = np.einsum("ij,j->i", documents, query, dtype=np.float64)
    return products


def without_self(ranked: I64, targets: I64, k: int) -> I64:
    """Take each target out of its own list."""
    is_self = ranked == targets[:, None]
    # A stable sort moves the target itself to the end of its row and leaves the others in order.
    closed = np.take_along_axis(ranked, np.argsort(is_self, axis=1, kind="stable"), axis=1)
    closed[is_self.any(axis=1), -1] = -1
    width = min(k, closed.shape[1])
    result = np.full((len(targets), k), -1, dtype=np.int64)
    result[:, :width] = closed[:, :width]
    return result


Rows = TypeVar("Rows", F32, F64)

SAMPLE = 500
"""Queries that a candidate's usual score is estimated from."""

_BLOCK_ROWS = 8192

_ROUNDING = 1e-6
"""A deviation up to here is rounding noise, of single precision at most."""


def sample_of(ids: Sequence[str]) -> I64:
    """Positions of the ``SAMPLE`` ids with the smallest hashes, ascending; all when there are fewer."""
    by_hash = sorted(range(len(ids)), key=lambda i: hashlib.sha256(ids[i].encode()).digest())
    return np.array(sorted(by_hash[:SAMPLE]), dtype=np.int64)


def shares_below(scores: F64, usual: F64) -> F64:
    """What share of a candidate's scores for other queries, ascending in its column, each score is above."""
    shares = np.empty_like(scores)
    for column, own in enumerate(usual.T):
        below, up_to = (np.searchsorted(own, scores[:, column], side) for side in ("left", "right"))
        shares[:, column] = (below + up_to) / (2 * len(own))
    return shares


def standardising_rows(vectors: Rows, sample: I64) -> tuple[Rows, Rows]:
    """Vectors whose inner products are standardised cosines.

    (q · d - mean_d) / deviation_d is the inner product of (q, 1) and (d, -mean_d) / deviation_d.
    """
    means, deviations = np.empty(len(vectors)), np.empty(len(vectors))
    for start in range(0, len(vectors), _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        scores = (vectors[sample] @ vectors[block].T).astype(np.float64)
        means[block], deviations[block] = scores.mean(axis=0), scores.std(axis=0)
    # A candidate whose scores never vary is nobody's neighbour.
    deviations[deviations <= _ROUNDING] = np.inf
    width = vectors.shape[1]
    queries, documents = (np.empty((len(vectors), width + 1), dtype=vectors.dtype) for _ in range(2))
    queries[:, :width], queries[:, width] = vectors, 1.0
    documents[:, :width], documents[:, width] = vectors, -means
    documents /= deviations[:, None]
    return queries, documents
