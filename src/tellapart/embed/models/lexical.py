"""Models that count the pieces of identifiers and are fitted on a corpus: BM25, TF-IDF and LSA."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from tellapart.core.arrays import F32, F64, I64
from tellapart.core.figure_units import COSINE
from tellapart.embed.identifiers import REVISION, Cut, corpus_digest, split_identifiers
from tellapart.embed.protocol import Kind
from tellapart.embed.registry import ModelRequest
from tellapart.errors import InputError

_PAIRS_AT_ONCE = 65_536

_K1, _B = 1.5, 0.75
"""Parameters of BM25, the usual ones."""

_DIMENSIONS, _ITERATIONS, _SEED = 256, 7, 0
"""Parameters of LSA."""


class Bm25:
    """Okapi BM25 in Lucene's form, by the bm25s library, over the documents of a corpus.

    score(q, d) = sum over the pieces t of q, repetitions included, of
    ln(1 + (N - df + 1/2) / (df + 1/2)) * tf / (tf + k1 * (1 - b + b * length(d) / mean length))

    A query or a document without a known piece scores 0: a tie.

    Source: Kamphuis et al., "Which BM25 Do You Mean?", ECIR 2020, table 1, Lucene (accurate).
    """

    name = "bm25"
    unit = "bm25"

    def __init__(self, corpus: Sequence[str], *, cut: Cut = split_identifiers) -> None:
        """Index a corpus, in any order."""
        import bm25s

        _require_words(self.name, corpus, cut)
        self._cut = cut
        self.fingerprint = _fingerprint(self.name, corpus, k1=_K1, b=_B)
        texts = sorted(corpus)
        self._row = {text: row for row, text in enumerate(texts)}
        self._index = bm25s.BM25(k1=_K1, b=_B, method="lucene", dtype="float64")
        self._index.index([cut(text) for text in texts], show_progress=False)
        self._none = np.zeros(len(texts))

    def score_pairs(
        self, queries: Sequence[str], documents: Sequence[str], query_index: I64, document_index: I64
    ) -> F64:
        """Score chosen pairs; see ``Matcher``. Scores are at least 0, without an upper bound."""
        rows = self._rows([documents[i] for i in document_index.tolist()])
        scores = np.empty(len(query_index))
        order = np.argsort(query_index, kind="stable")
        edges = np.flatnonzero(np.diff(query_index[order], prepend=-1, append=-1))
        for start, end in zip(edges, edges[1:], strict=False):
            pairs = order[start:end]
            scores[pairs] = self._scores(queries[query_index[pairs[0]]])[rows[pairs]]
        return scores

    def score_all(self, queries: Sequence[str], documents: Sequence[str]) -> F64:
        """Score every document for every query; shape (queries, documents), otherwise as ``score_pairs``."""
        rows = self._rows(documents)
        return np.array([self._scores(query)[rows] for query in queries]).reshape(len(queries), len(rows))

    def _scores(self, query: str) -> F64:
        """Scores of the whole corpus, in its sorted order."""
        pieces = self._cut(query)
        return np.asarray(self._index.get_scores(pieces)) if pieces else self._none

    def _rows(self, documents: Sequence[str]) -> I64:
        try:
            return np.array([self._row[text] for text in documents], dtype=np.int64)
        except KeyError as unknown:
            raise InputError(
                f"{self.name!r} was fitted without the document that begins {unknown.args[0][:60]!r}",
                next_step="Fit it on all documents that it is to score",
            ) from None


class Tfidf:
    """Cosine of TF-IDF rows: (1 + ln tf) * (1 + ln((1 + N) / (1 + df))), with N and df from a corpus.

    Pieces that the corpus does not have are ignored; a text without a known piece is a zero row, whose
    cosine with anything is 0: a tie.

    Source: scikit-learn's TfidfVectorizer with ``sublinear_tf``.
    """

    name = "tfidf"
    unit = COSINE

    def __init__(self, corpus: Sequence[str], *, cut: Cut = split_identifiers) -> None:
        """Count a corpus, in any order."""
        self.fingerprint = _fingerprint(self.name, corpus, sublinear_tf=True, smooth_idf=True)
        self._vectorizer, _ = _fitted(self.name, corpus, cut)

    def score_pairs(
        self, queries: Sequence[str], documents: Sequence[str], query_index: I64, document_index: I64
    ) -> F64:
        """Score chosen pairs; see ``Matcher``. Cosines in [0, 1]."""
        left, right = (csr_array(self._vectorizer.transform(texts)) for texts in (queries, documents))
        products = np.empty(len(query_index))
        for start in range(0, len(products), _PAIRS_AT_ONCE):
            chunk = slice(start, start + _PAIRS_AT_ONCE)
            products[chunk] = left[query_index[chunk]].multiply(right[document_index[chunk]]).sum(axis=1)
        return products


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
        """Decompose a corpus, in any order."""
        self.fingerprint = _fingerprint(
            self.name, corpus, dimensions=_DIMENSIONS, iterations=_ITERATIONS, seed=_SEED, sublinear_tf=True
        )
        self._vectorizer, rows = _fitted(self.name, corpus, cut)
        # Threads would change the order of summation, and with it the last digits.
        with threadpool_limits(1, user_api="blas"):
            wanted = min(_DIMENSIONS, *rows.shape)
            _, values, vectors = randomized_svd(rows, wanted, n_iter=_ITERATIONS, random_state=_SEED)
        # Vectors of vanishing singular values are noise that differs between machines.
        kept = values > values[0] * max(rows.shape) * np.finfo(np.float64).eps
        self._directions = np.ascontiguousarray(vectors[kept].T)

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


def _fitted(model: str, corpus: Sequence[str], cut: Cut) -> tuple[TfidfVectorizer, csr_array]:
    """Fit scikit-learn's TF-IDF on a corpus, whatever the order of its texts; it and the corpus's rows."""
    _require_words(model, corpus, cut)
    vectorizer = TfidfVectorizer(
        analyzer=cut, token_pattern=None, lowercase=False, dtype=np.float64, sublinear_tf=True
    )
    return vectorizer, csr_array(vectorizer.fit_transform(sorted(corpus)))


def _require_words(model: str, corpus: Sequence[str], cut: Cut) -> None:
    """Refuse a corpus that a lexical model cannot be fitted on."""
    if not any(map(cut, corpus)):
        raise InputError(
            f"{model!r} cannot be fitted: no letter or digit in any of the {len(corpus)} texts of the corpus",
            next_step="Give it the code of at least one unit",
        )


def _fingerprint(model: str, corpus: Sequence[str], **parameters: object) -> str:
    """Name a lexical model by its parameters, the way it cuts words and the corpus it is fitted on."""
    settings = " ".join(f"{key}={value}" for key, value in sorted(parameters.items()))
    return f"{model} {settings} pieces={REVISION} corpus=sha256:{corpus_digest(corpus)}"


def load_bm25(request: ModelRequest) -> Bm25:
    """Fit on the corpus of the request."""
    return Bm25(request.corpus, cut=request.cut)


def load_tfidf(request: ModelRequest) -> Tfidf:
    """Fit on the corpus of the request."""
    return Tfidf(request.corpus, cut=request.cut)


def load_lsa(request: ModelRequest) -> Lsa:
    """Fit on the corpus of the request."""
    return Lsa(request.corpus, cut=request.cut)
