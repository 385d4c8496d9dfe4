"""Models of sentence-transformers with arrays of different lengths: sparse weights, vectors of tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numba import prange

from tellapart.core.arrays import F32, F64, I64
from tellapart.core.compiled import compiled
from tellapart.embed.cache import SIDES, Elsewhere, TextBatch, missing_batches, reported
from tellapart.embed.model_files import find_model, require_kind
from tellapart.embed.models.st import TEXTS_A_STEP, load_library_model
from tellapart.embed.protocol import Kind
from tellapart.embed.request import ModelRequest
from tellapart.embed.vector_matcher import distinct_texts
from tellapart.embed.vector_pairs import code_of, vector_pair
from tellapart.errors import InputError

_PAIRS_AT_ONCE = 256


_FINGERPRINTS = {"SparseEncoder": "sparse-encoder", "MultiVectorEncoder": "multi-vector-encoder"}
"""What fingerprints begin with."""


class RaggedMatcher(ABC):
    """Scores pairs by arrays of the texts, each distinct text encoded once; a subclass says how.

    Attributes:
        name: What the user typed.
        fingerprint: Everything that changes a score.
        kind: Class of sentence-transformers.
        owner: Of models on the hub that are named without one.
        plain: Architecture whose bare files the library makes such a model of; None for none.
    """

    kind: ClassVar[str]
    owner: ClassVar[str]
    plain: ClassVar[str | None] = None

    def __init__(self, request: ModelRequest) -> None:
        """Load the model that the argument names; arrays are kept in the cache of the request, if any."""
        import sentence_transformers

        files = find_model(request.argument, owner=self.owner)
        require_kind(files, self.kind, plain=self.plain)
        self.name, self._request = request.name, request
        self._cache, self._progress = request.cache, request.progress
        self._model: Any = load_library_model(getattr(sentence_transformers, self.kind), files)
        self.unit = str(self._model.similarity_fn_name)
        self.fingerprint = f"{_FINGERPRINTS[self.kind]} {self.unit} {files.identity}"

    @abstractmethod
    def encode(self, texts: Sequence[str], kind: Kind) -> list[F32]:
        """Encode some texts as one side of the search; a flat array for each."""

    @abstractmethod
    def compare(self, queries: list[F32], documents: list[F32], query_row: I64, document_row: I64) -> F64:
        """Score pairs of rows, as ``Matcher.score_pairs`` scores pairs of texts."""

    def score_pairs(
        self, queries: Sequence[str], documents: Sequence[str], query_index: I64, document_index: I64
    ) -> F64:
        """Score chosen pairs; see ``Matcher``."""
        if not len(query_index):
            return np.empty(0)
        first, query_row = distinct_texts(queries, query_index)
        second, document_row = distinct_texts(documents, document_index)
        rows = self._rows(first, "query"), self._rows(second, "document")
        return self.compare(*rows, query_row, document_row)

    def _rows(self, texts: list[str], kind: Kind) -> list[F32]:
        rows = {} if self._cache is None else self._cache.get(self.fingerprint, kind, texts)
        batches = missing_batches(texts, lambda text: text not in rows, TEXTS_A_STEP)
        what = f"{self.name} encodes {SIDES[kind]}"
        if not batches:
            return [rows[text] for text in texts]
        for batch, arrays in reported(
            batches, self._encoded(batches, kind), self._progress, what, unit="texts"
        ):
            encoded = dict(zip(batch, arrays, strict=True))
            for text, row in encoded.items():
                if not np.isfinite(row).all():
                    raise InputError(
                        f"model {self.name!r} gave NaN or infinity for the {kind} text that begins "
                        f"{text[:60]!r}",
                        next_step="No score can be computed from it; check the model or leave it out",
                    )
            if self._cache is not None:
                self._cache.put(self.fingerprint, kind, encoded)
            rows |= encoded
        return [rows[text] for text in texts]

    @cached_property
    def _elsewhere(self) -> Elsewhere | None:
        return self._request.elsewhere(type(self), self.fingerprint)

    def _encoded(self, batches: Sequence[Sequence[str]], kind: Kind) -> Iterator[tuple[int, list[F32]]]:
        if self._elsewhere is not None:
            return self._elsewhere([TextBatch(kind, batch) for batch in batches])
        return ((i, self.encode(batch, kind)) for i, batch in enumerate(batches))


class SparseMatcher(RaggedMatcher):
    """Scores pairs by the model's own similarity of sparse vectors, which is the dot product if it says none.

    A similarity is computed over the words that either text has, in double precision and always in the same
    order. The unit is that of vectors: ``dot``, ``cosine``, ``euclidean`` or ``manhattan``.
    """

    kind, owner, plain = "SparseEncoder", "sparse-encoder", "ForMaskedLM"

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


class MultiVectorMatcher(RaggedMatcher):
    """Scores pairs by late interaction, as the library computes it from the vectors of tokens.

    The unit is the model's own similarity: ``maxsim``, for each token of the query the best inner product
    with a token of the document, summed; or ``meanmaxsim``, their mean.

    Source: Khattab and Zaharia, "ColBERT", SIGIR 2020.
    """

    kind, owner = "MultiVectorEncoder", "sentence-transformers"

    def encode(self, texts: Sequence[str], kind: Kind) -> list[F32]:
        """Encode texts; of each the number of dimensions, then its tokens' vectors."""
        encode = self._model.encode_query if kind == "query" else self._model.encode_document
        rows = encode(list(texts), batch_size=TEXTS_A_STEP, show_progress_bar=False)
        return [np.append(np.float32(row.shape[1]), np.asarray(row, dtype=np.float32)) for row in rows]

    def compare(self, queries: list[F32], documents: list[F32], query_row: I64, document_row: I64) -> F64:
        """Score pairs of rows; see ``RaggedMatcher``."""
        first, second = ([row[1:].reshape(-1, int(row[0])) for row in side] for side in (queries, documents))
        scores = np.empty(len(query_row))
        for start in range(0, len(scores), _PAIRS_AT_ONCE):
            part = slice(start, start + _PAIRS_AT_ONCE)
            pairs = [first[i] for i in query_row[part]], [second[i] for i in document_row[part]]
            scores[part] = np.asarray(self._model.similarity_pairwise(*pairs).cpu())
        return scores
