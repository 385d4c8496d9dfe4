"""Any embedder as a matcher: the cosine of the query's and the document's vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tellapart.embed.protocol import F32, F64, I64, Embedder, Kind
from tellapart.embed.vectors import checked_vectors

_PAIRS_AT_ONCE = 8_192


class CosineMatcher:
    """Scores pairs by cosine, in [-1, 1]; a zero vector has cosine 0 with every vector, a tie.

    In a call, each distinct text that a pair names is encoded once, queries and documents apart.
    """

    def __init__(self, embedder: Embedder) -> None:
        """Match with the vectors of ``embedder``, under its name."""
        self._embedder = embedder

    @property
    def name(self) -> str:
        """The embedder's."""
        return self._embedder.name

    @property
    def fingerprint(self) -> str:
        """The embedder's, with the measure put in front."""
        return f"cosine {self._embedder.fingerprint}"

    def score_pairs(
        self, queries: Sequence[str], documents: Sequence[str], query_index: I64, document_index: I64
    ) -> F64:
        """Score chosen pairs; see ``Matcher``.

        Raises:
            InputError: The vectors are not finite, not one for each text, or not of one length.
        """
        if not len(query_index):
            return np.empty(0)
        query_rows, query_row = self._encode(queries, query_index, "query")
        document_rows, document_row = self._encode(
            documents, document_index, "document", dimensions=query_rows.shape[1]
        )
        return cosine_pairs(query_rows, document_rows, query_row, document_row)

    def _encode(
        self, texts: Sequence[str], index: I64, kind: Kind, dimensions: int | None = None
    ) -> tuple[F32, I64]:
        """Vectors of the distinct texts named by ``index``, and for each pair the row of its text."""
        named, position = np.unique(index, return_inverse=True)
        row_of: dict[str, int] = {}
        rows = np.array([row_of.setdefault(texts[i], len(row_of)) for i in named.tolist()], dtype=np.int64)
        vectors = checked_vectors(self._embedder, list(row_of), kind=kind, dimensions=dimensions)
        return vectors, rows[position]


def cosine_pairs(left: F32, right: F32, left_index: I64, right_index: I64) -> F64:
    """Cosines of chosen pairs of rows, in double precision.

    Args:
        left: Shape (n, d), finite.
        right: Shape (m, d), finite.
        left_index: Shape (pairs,), rows of ``left``.
        right_index: Shape (pairs,), rows of ``right``.

    Returns:
        Shape (pairs,), in [-1, 1] up to rounding; 0 where a row is zero. Memory: one chunk of pairs of rows.
    """
    left_norm, right_norm = _norms(left), _norms(right)
    cosines = np.empty(len(left_index))
    for start in range(0, len(cosines), _PAIRS_AT_ONCE):
        chunk = slice(start, start + _PAIRS_AT_ONCE)
        i, j = left_index[chunk], right_index[chunk]
        # einsum and not BLAS, whose order of summation depends on the processor.
        dots = np.einsum("ij,ij->i", left[i], right[j], dtype=np.float64)
        lengths = left_norm[i] * right_norm[j]
        cosines[chunk] = np.divide(dots, lengths, out=np.zeros(len(dots)), where=lengths > 0)
    return cosines


def _norms(rows: F32) -> F64:
    squares: F64 = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    return np.sqrt(squares)
