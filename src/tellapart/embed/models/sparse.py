"""Any sparse encoder of sentence-transformers, such as SPLADE: weights of words, most of them 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import prange

from tellapart.core.arrays import F32, F64, I64
from tellapart.core.compiled import compiled
from tellapart.embed.model_files import ModelFiles, find_model, require_kind
from tellapart.embed.models.st import load_library_model
from tellapart.embed.protocol import Kind
from tellapart.embed.ragged import TEXTS_A_STEP, RaggedMatcher
from tellapart.embed.request import ModelRequest
from tellapart.embed.vector_pairs import code_of, vector_pair

ARGUMENT = "path or hub id"
REQUIRES = ("sentence_transformers",)
EXTRA = "st"


class SparseMatcher(RaggedMatcher):
    """Scores pairs by the model's own similarity of sparse vectors, which is the dot product if it says none.

    A similarity is computed over the words that either text has, in double precision and always in the same
    order. The unit is that of vectors: ``dot``, ``cosine``, ``euclidean`` or ``manhattan``.
    """

    def __init__(self, request: ModelRequest, files: ModelFiles) -> None:
        """Load a model."""
        from sentence_transformers import SparseEncoder

        super().__init__(request, load)
        require_kind(files, "SparseEncoder", plain="ForMaskedLM")
        self._model = load_library_model(SparseEncoder, files)
        self.unit = str(self._model.similarity_fn_name)
        self.fingerprint = f"sparse-encoder {self.unit} {files.identity}"

    def encode(self, texts: Sequence[str], kind: Kind) -> list[F32]:
        """Encode texts; of each the numbers of its words, ascending, then their weights."""
        encode = self._model.encode_query if kind == "query" else self._model.encode_document
        dense = encode(
            list(texts),
            batch_size=TEXTS_A_STEP,
            show_progress_bar=False,
            convert_to_tensor=True,
            convert_to_sparse_tensor=False,
            save_to_cpu=True,
        ).numpy()
        # Numbers of words are below 2**24, up to which single precision holds whole numbers.
        return [np.concatenate([np.flatnonzero(row), row[row != 0]]).astype(np.float32) for row in dense]

    def compare(self, queries: list[F32], documents: list[F32], query_row: I64, document_row: I64) -> F64:
        """Score pairs of rows; see ``RaggedMatcher``."""
        scores = np.empty(len(query_row))
        sides = (*_joined(queries), *_joined(documents))
        _sparse_pairs(*sides, query_row, document_row, code_of(self.unit), scores)
        return scores


def _joined(rows: list[F32]) -> tuple[F32, I64]:
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return np.concatenate([np.empty(0, dtype=np.float32), *rows]), offsets


@compiled(parallel=True)
def _sparse_pairs(
    left: F32,
    left_offsets: I64,
    right: F32,
    right_offsets: I64,
    left_index: I64,
    right_index: I64,
    code: int,
    scores: F64,
) -> None:
    """Score pairs of rows, each a list of words and then a list of their weights."""
    for pair in prange(len(scores)):
        i, j = left_index[pair], right_index[pair]
        first = left[left_offsets[i] : left_offsets[i + 1]]
        second = right[right_offsets[j] : right_offsets[j + 1]]
        words, others = len(first) // 2, len(second) // 2
        # Both weights of every word that either has, in the order of the words.
        a, b = np.zeros(words + others, np.float32), np.zeros(words + others, np.float32)
        count, m, n = 0, 0, 0
        while m < words or n < others:
            ahead = n == others or (m < words and first[m] <= second[n])
            behind = m == words or (n < others and second[n] <= first[m])
            if ahead:
                a[count] = first[words + m]
                m += 1
            if behind:
                b[count] = second[others + n]
                n += 1
            count += 1
        scores[pair] = vector_pair(a[:count], b[:count], code)


def load(request: ModelRequest) -> SparseMatcher:
    """Load the sparse encoder that the argument names."""
    files = find_model(request.argument, owner="sparse-encoder")
    return SparseMatcher(request, files)
