"""BM25 over the pieces of identifiers."""

from __future__ import annotations

from collections.abc import Sequence

import bm25s
import numpy as np

from tellapart.core.arrays import F64, I64
from tellapart.embed.identifiers import Cut, split_identifiers
from tellapart.embed.request import ModelRequest
from tellapart.embed.terms import fingerprint_terms, require_words
from tellapart.errors import InputError

_K1, _B = 1.5, 0.75
"""The usual ones."""


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
        """Index a corpus, in any order; ``fit`` reads better."""
        require_words(corpus, cut, model=self.name)
        self._cut = cut
        self.fingerprint = fingerprint_terms(self.name, corpus, k1=_K1, b=_B)
        texts = sorted(corpus)
        self._row = {text: row for row, text in enumerate(texts)}
        self._index = bm25s.BM25(k1=_K1, b=_B, method="lucene", dtype="float64")
        self._index.index([cut(text) for text in texts], show_progress=False)
        self._none = np.zeros(len(texts))

    @classmethod
    def fit(cls, corpus: Sequence[str]) -> Bm25:
        """Fit on a corpus."""
        return cls(corpus)

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


def load(request: ModelRequest) -> Bm25:
    """Fit on the corpus of the request."""
    return Bm25(request.corpus, cut=request.cut)
