"""Nearest neighbours, exact, without ever holding an N x N array."""

from __future__ import annotations

import faiss
import numpy as np

from tellapart.embed.protocol import F32, I64

_BLOCK = 4096


def nearest(queries: F32, documents: F32, targets: I64, pool: I64, k: int) -> I64:
    """Find the ``k`` units of ``pool`` whose document has the largest inner product with each target's query.

    Products that agree in five decimals count as tied and are ordered by position, so that identical texts
    come in the same order everywhere.

    Args:
        queries: Shape (n, d), what each unit is as a target.
        documents: Shape (n, d), what each unit is as a candidate.
        targets: Shape (t,), positions.
        pool: Shape (p,), ascending positions; a target in it is not its own neighbour.
        k: Neighbours wanted.

    Returns:
        Shape (t, k), positions, nearest first; -1 where there are fewer than ``k``.
    """
    index = faiss.IndexFlatIP(documents.shape[1])
    index.add(np.ascontiguousarray(documents[pool]))
    wanted = min(k + 1, len(pool))
    ranked = np.empty((len(targets), k), dtype=np.int64)
    for start in range(0, len(targets), _BLOCK):
        block = targets[start : start + _BLOCK]
        products, found = index.search(np.ascontiguousarray(queries[block]), wanted)
        order = np.lexsort((found, -np.round(products, 5)), axis=1)
        ranked[start : start + len(block)] = without_self(
            pool[np.take_along_axis(found, order, axis=1)], block, k
        )
    return ranked


def without_self(ranked: I64, targets: I64, k: int) -> I64:
    """Take each target out of its own list.

    Args:
        ranked: Shape (t, m), with each target at most once in its row.
        targets: Shape (t,).
        k: Width of the result.

    Returns:
        Shape (t, k), the order kept; -1 where a row has fewer than ``k`` others.
    """
    is_self = ranked == targets[:, None]
    closed = np.take_along_axis(ranked, np.argsort(is_self, axis=1, kind="stable"), axis=1)
    closed[is_self.any(axis=1), -1] = -1
    width = min(k, closed.shape[1])
    result = np.full((len(targets), k), -1, dtype=np.int64)
    result[:, :width] = closed[:, :width]
    return result
