"""TF-IDF over the pieces of identifiers."""

from __future__ import annotations

from collections.abc import Sequence

from scipy.sparse import csr_array

from tellapart.core.arrays import F64, I64
from tellapart.core.figure_units import COSINE
from tellapart.embed.identifiers import Cut, split_identifiers
from tellapart.embed.request import ModelRequest
from tellapart.embed.terms import dot_pairs, fingerprint_terms, fit_terms, tfidf_vectorizer


class Tfidf:
    """Cosine of TF-IDF rows: (1 + ln tf) * (1 + ln((1 + N) / (1 + df))), with N and df from a corpus.

    Pieces that the corpus does not have are ignored; a text without a known piece is a zero row, whose
    cosine with anything is 0: a tie.

    Source: scikit-learn's TfidfVectorizer with ``sublinear_tf``.
    """

    name = "tfidf"
    unit = COSINE

    def __init__(self, corpus: Sequence[str], *, cut: Cut = split_identifiers) -> None:
        """Count a corpus, in any order; ``fit`` reads better."""
        self.fingerprint = fingerprint_terms(self.name, corpus, sublinear_tf=True, smooth_idf=True)
        self._vectorizer = tfidf_vectorizer(cut)
        fit_terms(self._vectorizer, corpus, model=self.name)

    @classmethod
    def fit(cls, corpus: Sequence[str]) -> Tfidf:
        """Fit on a corpus."""
        return cls(corpus)

    def score_pairs(
        self, queries: Sequence[str], documents: Sequence[str], query_index: I64, document_index: I64
    ) -> F64:
        """Score chosen pairs; see ``Matcher``. Cosines in [0, 1]."""
        return dot_pairs(self._rows(queries), self._rows(documents), query_index, document_index)

    def _rows(self, texts: Sequence[str]) -> csr_array:
        return csr_array(self._vectorizer.transform(texts))


def load(request: ModelRequest) -> Tfidf:
    """Fit on the corpus of the request."""
    return Tfidf(request.corpus, cut=request.cut)
