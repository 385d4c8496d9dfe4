"""The two seams between a model and the suites that compare models, and the check of what models give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np

from tellapart.core.arrays import F32, F64, I64
from tellapart.errors import InputError

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


def checked_vectors(
    embedder: Embedder, texts: Sequence[str], *, kind: Kind, dimensions: int | None = None
) -> F32:
    """Encode texts and refuse what is not one finite vector for each text; float32 of shape (texts, d)."""
    vectors = embedder.encode(texts, kind=kind)
    return check_vectors(vectors, embedder.name, texts, kind=kind, dimensions=dimensions)


def check_vectors(
    vectors: F32, model: str, texts: Sequence[str], *, kind: Kind, dimensions: int | None = None
) -> F32:
    """Refuse what ``checked_vectors`` refuses in vectors that are there; ``model`` is its name."""
    vectors = np.asarray(vectors, dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise InputError(
            f"model {model!r} gave an array of shape {vectors.shape} for {len(texts)} {kind} texts, "
            f"expected one row for each"
        )
    if dimensions is not None and len(texts) and vectors.shape[1] != dimensions:
        raise InputError(
            f"model {model!r} gave {kind} vectors of {vectors.shape[1]} dimensions "
            f"after vectors of {dimensions}; vectors of different lengths cannot be compared"
        )
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        first = texts[int(np.argmin(finite))]
        raise InputError(
            f"model {model!r} gave NaN or infinity for {np.count_nonzero(~finite)} of {len(texts)} "
            f"{kind} texts, the first of which begins {first[:60]!r}",
            next_step="No score can be computed from such a vector; check the model or leave it out",
        )
    return vectors
