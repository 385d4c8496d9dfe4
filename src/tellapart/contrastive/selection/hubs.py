"""Hubs: units that are near to everything, and how a selector keeps from choosing them too often.

A hub is among the nearest neighbours of many targets, but few targets are hubs. Distractors chosen by plain
similarity are therefore hubs far more often than targets are, and a model that prefers hubs finds fault with
the target whatever it is asked: for another unit's summary it scores far below chance. Standardising each
candidate's score over a sample of queries takes that advantage away.

Source: Radovanović, Nanopoulos and Ivanović, "Hubs in Space", JMLR 2010; the correction is the global form of
Schnitzer et al., "Local and Global Scaling Reduce Hubs in Space", JMLR 2012, for scores instead of distances.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from tellapart.embed.protocol import F32, F64, I64

Rows = TypeVar("Rows", F32, F64)

SAMPLE = 500
"""Queries that a candidate's usual score is estimated from."""

_BLOCK = 8192

_ROUNDING = 1e-6
"""A deviation up to here is rounding noise, of single precision at most."""


def sample_of(ids: Sequence[str]) -> I64:
    """Positions of the ``SAMPLE`` ids with the smallest hashes, ascending; all when there are fewer."""
    by_hash = sorted(range(len(ids)), key=lambda i: hashlib.sha256(ids[i].encode()).digest())
    return np.array(sorted(by_hash[:SAMPLE]), dtype=np.int64)


def usual_scores(scores: F64) -> tuple[F64, F64]:
    """What a candidate scores for a query that is not about it.

    Args:
        scores: Shape (queries, candidates).

    Returns:
        Mean and standard deviation over the queries, each of shape (candidates,); a deviation of 0, up to
        rounding, is given as infinity, so that a candidate that always scores the same stands at 0.
    """
    deviation = scores.std(axis=0)
    return scores.mean(axis=0), np.where(deviation > _ROUNDING, deviation, np.inf)


def standardising_rows(vectors: Rows, sample: I64) -> tuple[Rows, Rows]:
    """Vectors whose inner products are standardised cosines.

    (q · d - mean_d) / deviation_d is the inner product of (q, 1) and (d, -mean_d) / deviation_d, so that an
    exact search for inner products finds the neighbours that are near for this target rather than for all.

    Args:
        vectors: Shape (n, d), unit rows.
        sample: Positions of the rows that serve as queries.

    Returns:
        Query rows and document rows, each of shape (n, d + 1) and of the type of ``vectors``.
    """
    means, deviations = np.empty(len(vectors)), np.empty(len(vectors))
    for start in range(0, len(vectors), _BLOCK):
        block = slice(start, start + _BLOCK)
        means[block], deviations[block] = usual_scores(
            (vectors[sample] @ vectors[block].T).astype(np.float64)
        )
    width = vectors.shape[1]
    queries, documents = (np.empty((len(vectors), width + 1), dtype=vectors.dtype) for _ in range(2))
    queries[:, :width], queries[:, width] = vectors, 1.0
    documents[:, :width], documents[:, width] = vectors, -means
    documents /= deviations[:, None]
    return queries, documents
