"""Latent semantic analysis: TF-IDF rows projected on the corpus's main directions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from tellapart.core.arrays import F32, F64
from tellapart.embed.identifiers import Cut, split_identifiers
from tellapart.embed.protocol import Kind
from tellapart.embed.request import ModelRequest
from tellapart.embed.terms import fingerprint_terms, fit_terms, tfidf_vectorizer

_DIMENSIONS = 256
_ITERATIONS = 7
_SEED = 0


class Lsa:
    """Embedder whose vectors are TF-IDF rows projected on the leading right singular vectors of the corpus.

    There are 256 dimensions, or the rank of the corpus's matrix where that is less, as with fewer than 256
    texts or terms. Queries and documents are embedded alike. The vectors depend neither on the order of the
    corpus nor on the number of threads.

    Source: Deerwester et al., "Indexing by Latent Semantic Analysis", JASIS 1990; the decomposition is the
    randomised one of Halko et al., SIAM Review 2011, with 7 power iterations.
    """

    name = "lsa"

    def __init__(self, corpus: Sequence[str], *, cut: Cut = split_identifiers) -> None:
        """Decompose a corpus, in any order; ``fit`` reads better."""
        self.fingerprint = fingerprint_terms(
            self.name, corpus, dimensions=_DIMENSIONS, iterations=_ITERATIONS, seed=_SEED, sublinear_tf=True
        )
        self._vectorizer = tfidf_vectorizer(cut)
        self._directions = _leading_directions(fit_terms(self._vectorizer, corpus, model=self.name))

    @classmethod
    def fit(cls, corpus: Sequence[str]) -> Lsa:
        """Fit on a corpus."""
        return cls(corpus)

    @property
    def dimensions(self) -> int:
        """Length of a vector, 1 to 256."""
        return int(self._directions.shape[1])

    def project(self, texts: Sequence[str]) -> F64:
        """Embed texts in double precision."""
        if not texts:
            return np.empty((0, self.dimensions))
        return np.asarray(normalize(self._vectorizer.transform(texts) @ self._directions))

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Embed texts; see ``Embedder``."""
        return self.project(texts).astype(np.float32)


def _leading_directions(rows: csr_array) -> F64:
    """Right singular vectors of ``rows`` with singular values above rounding; shape (terms, dimensions)."""
    wanted = min(_DIMENSIONS, *rows.shape)
    # Threads would change the order of summation, and with it the last digits.
    with threadpool_limits(1, user_api="blas"):
        _, values, vectors = randomized_svd(rows, wanted, n_iter=_ITERATIONS, random_state=_SEED)
    # Vectors of vanishing singular values are noise that differs between machines.
    kept = values > values[0] * max(rows.shape) * np.finfo(np.float64).eps
    return np.ascontiguousarray(vectors[kept].T)


def load(request: ModelRequest) -> Lsa:
    """Fit on the corpus of the request."""
    return Lsa(request.corpus, cut=request.cut)
