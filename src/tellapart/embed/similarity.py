"""Similarities of pairs of texts, from a model that embeds or scores them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F32, F64, I64
from tellapart.core.figure_units import COSINE, require_similarity
from tellapart.embed.lineups import Similarity
from tellapart.embed.protocol import Embedder, Kind, Matcher, checked_vectors
from tellapart.embed.vector_pairs import squared_lengths, vector_pairs

Zeros = Callable[[tuple[int, int]], F32]
"""Makes an array of zeros of a shape, in memory or in a file that is mapped into it."""

TEXTS_AT_ONCE = 65_536
"""Texts that are embedded before the next ones where vectors are not all to be in memory."""


@dataclass(frozen=True)
class VectorRows:
    """Vectors of one side, ready to be compared.

    Attributes:
        vectors: Shape (n, d), finite.
        squares: Shape (n,), the squared length of each.
    """

    vectors: F32
    squares: F64

    @classmethod
    def of(cls, vectors: F32) -> VectorRows:
        """Make vectors ready."""
        rows = np.ascontiguousarray(vectors, dtype=np.float32)
        return cls(rows, squared_lengths(rows))

    def __len__(self) -> int:
        return len(self.vectors)

    def take(self, rows: I64) -> VectorRows:
        """The rows with these numbers."""
        return VectorRows(self.vectors[rows], self.squares[rows])


@dataclass(frozen=True)
class VectorSimilarity:
    """Scores pairs of an anchor's and an option's number by their vectors; see ``Similarity``.

    Attributes:
        unit: One of ``VECTOR_SIMILARITIES``.
        anchor_rows: Shape (anchor texts,): the row of each anchor text; None for its own number.
    """

    anchors: VectorRows
    options: VectorRows
    unit: str = COSINE
    anchor_rows: I64 | None = None
    option_rows: I64 | None = None

    def __call__(self, anchors: I64, options: I64) -> F64:
        """Score pairs; see ``Similarity``."""
        left, right = self._rows(anchors, options)
        squares = self.anchors.squares, self.options.squares
        return vector_pairs(
            self.anchors.vectors, self.options.vectors, left, right, self.unit, squares=squares
        )

    def between(self, anchors: I64, options: I64) -> VectorSimilarity:
        """The same among some texts, with numbers in the order in which they are given here."""
        left, right = self._rows(anchors, options)
        return VectorSimilarity(self.anchors.take(left), self.options.take(right), self.unit)

    def _rows(self, anchors: I64, options: I64) -> tuple[I64, I64]:
        left = anchors if self.anchor_rows is None else self.anchor_rows[anchors]
        right = options if self.option_rows is None else self.option_rows[options]
        return left, right


class VectorMatcher:
    """Scores pairs by a similarity of their vectors, by default that which the embedder is made for.

    A zero vector has cosine 0 with every vector, a tie. In a call, each distinct text that a pair names is
    encoded once, queries and documents apart.
    """

    def __init__(self, embedder: Embedder, similarity: str | None = None) -> None:
        """Match with the vectors of ``embedder``, under its name."""
        self._embedder = embedder
        declared: str = getattr(embedder, "similarity", COSINE)
        self.unit = require_similarity(similarity or declared)

    @property
    def embedder(self) -> Embedder:
        """What makes the vectors."""
        return self._embedder

    @property
    def name(self) -> str:
        """The embedder's."""
        return self._embedder.name

    @property
    def fingerprint(self) -> str:
        """The embedder's, with the similarity put in front."""
        return f"{self.unit} {self._embedder.fingerprint}"

    def score_pairs(
        self, queries: Sequence[str], documents: Sequence[str], query_index: I64, document_index: I64
    ) -> F64:
        """Score chosen pairs; see ``Matcher``."""
        if not len(query_index):
            return np.empty(0)
        query_rows, query_row = self._encode(queries, query_index, "query")
        document_rows, document_row = self._encode(
            documents, document_index, "document", dimensions=query_rows.vectors.shape[1]
        )
        return VectorSimilarity(query_rows, document_rows, self.unit)(query_row, document_row)

    def rows(
        self, texts: Sequence[str], *, kind: Kind, dimensions: int | None = None, zeros: Zeros | None = None
    ) -> VectorRows:
        """Embed texts and make their vectors ready; arguments and errors as for ``checked_vectors``.

        With ``zeros``, which makes the array that holds them, no more than ``TEXTS_AT_ONCE`` are elsewhere.
        """
        if zeros is None:
            return VectorRows.of(checked_vectors(self._embedder, texts, kind=kind, dimensions=dimensions))
        vectors = np.empty((0, 0), np.float32)
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            some = texts[start : start + TEXTS_AT_ONCE]
            rows = checked_vectors(self._embedder, some, kind=kind, dimensions=dimensions)
            if not start:
                dimensions = rows.shape[1]
                vectors = zeros((len(texts), dimensions))
            vectors[start : start + len(rows)] = rows
        return VectorRows.of(vectors)

    def _encode(
        self, texts: Sequence[str], index: I64, kind: Kind, dimensions: int | None = None
    ) -> tuple[VectorRows, I64]:
        """Vectors of the distinct texts named by ``index``, and for each pair the row of its text."""
        distinct, row = distinct_texts(texts, index)
        return self.rows(distinct, kind=kind, dimensions=dimensions), row


def distinct_texts(texts: Sequence[str], index: I64) -> tuple[list[str], I64]:
    """Give the distinct texts that an index names, and for each of its entries the number of its text."""
    named, position = np.unique(index, return_inverse=True)
    number: dict[str, int] = {}
    numbers = np.array([number.setdefault(texts[i], len(number)) for i in named.tolist()], dtype=np.int64)
    return list(number), numbers[position]


ZERO_VECTOR = "zero vector"


@dataclass(frozen=True)
class Embedded:
    """All texts of an eval, ready to be compared.

    Attributes:
        similarity: Scores pairs of an anchor's and an option's number.
        anchor_faults: Shape (anchor texts,): why a text cannot be compared, such as ``zero vector``, or "".
        unit: What similarities are in: see ``Matcher.unit``.
    """

    similarity: Similarity
    anchor_faults: NDArray[np.str_]
    option_faults: NDArray[np.str_]
    unit: str = COSINE


def embed(
    matcher: Matcher, anchors: Sequence[str], options: Sequence[str], zeros: Zeros | None = None
) -> Embedded:
    """Have a model embed each anchor as a query and each option as a document, once; see `VectorMatcher`."""
    if not isinstance(matcher, VectorMatcher):
        return Embedded(
            partial(matcher.score_pairs, anchors, options),
            np.full(len(anchors), ""),
            np.full(len(options), ""),
            matcher.unit,
        )
    queries = matcher.rows(anchors, kind="query", zeros=zeros)
    width = queries.vectors.shape[1]
    documents = matcher.rows(options, kind="document", dimensions=width, zeros=zeros)
    unit = matcher.unit
    similarity = VectorSimilarity(queries, documents, unit)
    return Embedded(similarity, faults_of(queries, unit), faults_of(documents, unit), unit)


def faults_of(rows: VectorRows, similarity: str) -> NDArray[np.str_]:
    """Why vectors cannot be compared: a zero vector has no cosine."""
    if similarity != COSINE:
        return np.full(len(rows), "", dtype=f"U{len(ZERO_VECTOR)}")
    return np.where(rows.vectors.any(axis=1), "", ZERO_VECTOR)
