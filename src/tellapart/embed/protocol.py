"""The two seams between a model and the suites that compare models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from tellapart.core.arrays import F32, F64, I64

Kind = Literal["query", "document"]


class Embedder(Protocol):
    """Turns text into vectors.

    One whose vectors are not meant to be compared by cosine has an attribute ``similarity``, one of
    ``VECTOR_SIMILARITIES``.
    """

    @property
    def name(self) -> str:
        """The name the user gave, for tables, for example ``lsa`` or ``st:all-MiniLM-L6-v2``."""

    @property
    def fingerprint(self) -> str:
        """Model, revision and every parameter that changes a vector; equal fingerprints, equal vectors."""

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Embed texts.

        Args:
            texts: Any number of texts, none included.
            kind: Which side of the search they are on; models with prompts treat the two differently.

        Returns:
            float32 of shape (len(texts), d), rows in the order of the texts, not necessarily unit length.
        """


class Matcher(Protocol):
    """Scores documents for queries: an embedder by its vectors, or a ranker such as BM25 in its own way."""

    @property
    def name(self) -> str:
        """The name the user gave, for tables."""

    @property
    def fingerprint(self) -> str:
        """Everything that changes a score; equal fingerprints, equal scores."""

    @property
    def unit(self) -> str:
        """What scores are in, such as ``cosine`` or ``bm25``; only those of one unit are on one scale."""

    def score_pairs(
        self, queries: Sequence[str], documents: Sequence[str], query_index: I64, document_index: I64
    ) -> F64:
        """Score chosen pairs.

        Args:
            queries: Distinct query texts.
            documents: Distinct document texts.
            query_index: Shape (pairs,), positions in ``queries``.
            document_index: Shape (pairs,), positions in ``documents``.

        Returns:
            float64 of shape (pairs,); higher fits better; in the matcher's ``unit``.
        """
