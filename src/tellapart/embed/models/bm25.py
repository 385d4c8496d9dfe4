"""BM25 over the pieces of identifiers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.special import log1p
from sklearn.feature_extraction.text import CountVectorizer

from tellapart.embed.protocol import F64, I64
from tellapart.embed.request import ModelRequest
from tellapart.embed.terms import VECTORIZER, dot_pairs, fingerprint_terms, fit_terms


class Bm25:
    """Okapi BM25 in Lucene's form, with the document frequencies and the mean length of a corpus.

    score(q, d) = sum over the pieces t of q, repetitions included, of
    ln(1 + (N - df + 1/2) / (df + 1/2)) * tf / (tf + k1 * (1 - b + b * length(d) / mean length))

    Any document can be scored, whether or not it is in the corpus; pieces that the corpus does not have are
    ignored, in its length too. A query or a document without a known piece scores 0: a tie.

    Source: Kamphuis et al., "Which BM25 Do You Mean?", ECIR 2020, table 1, Lucene (accurate). The bm25s
    library scores a query against all of its index and nothing else; the tests hold the two equal.
    """

    name = "bm25"

    def __init__(self, corpus: Sequence[str], *, k1: float = 1.5, b: float = 0.75) -> None:
        """Count a corpus, in any order; ``fit`` reads better.

        Raises:
            InputError: The corpus holds no word.
        """
        self.fingerprint = fingerprint_terms(self.name, corpus, k1=k1, b=b)
        self._k1, self._b = k1, b
        self._counter = CountVectorizer(**VECTORIZER)
        counts = fit_terms(self._counter, corpus, model=self.name)
        texts, terms = counts.shape
        frequencies = np.bincount(counts.indices, minlength=terms)
        # NumPy's logarithm differs between processors in the last digit.
        self._idf = log1p((texts - frequencies + 0.5) / (frequencies + 0.5))
        self._mean_length = float(counts.sum()) / texts

    @classmethod
    def fit(cls, corpus: Sequence[str]) -> Bm25:
        """Fit on a corpus with the usual k1 = 1.5 and b = 0.75."""
        return cls(corpus)

    def score_pairs(
        self, queries: Sequence[str], documents: Sequence[str], query_index: I64, document_index: I64
    ) -> F64:
        """Score chosen pairs; see ``Matcher``. Scores are at least 0, without an upper bound."""
        asked = csr_array(self._counter.transform(queries))
        return dot_pairs(asked, self._weights(documents), query_index, document_index)

    def score_all(self, queries: Sequence[str], documents: Sequence[str]) -> F64:
        """Score every document for every query; shape (queries, documents), otherwise as ``score_pairs``."""
        asked = csr_array(self._counter.transform(queries))
        return np.asarray((asked @ self._weights(documents).T).todense())

    def _weights(self, documents: Sequence[str]) -> csr_array:
        """What each term of each document adds to a query that has it once; shape (documents, terms)."""
        weights = csr_array(self._counter.transform(documents))
        damping = self._k1 * (1 - self._b + self._b * weights.sum(axis=1) / self._mean_length)
        frequency = weights.data
        saturation = frequency / (frequency + np.repeat(damping, np.diff(weights.indptr)))
        weights.data = self._idf[weights.indices] * saturation
        return weights


def load(request: ModelRequest) -> Bm25:
    """Fit on the corpus of the request."""
    return Bm25.fit(request.corpus)
