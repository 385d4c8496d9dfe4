"""What the lexical models share: rows of terms, fitted on a corpus, and dot products of pairs of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from tellapart.core.arrays import F64, I64
from tellapart.embed.identifiers import REVISION, Cut, corpus_digest
from tellapart.errors import InputError

_PAIRS_AT_ONCE = 65_536


def tfidf_vectorizer(cut: Cut) -> TfidfVectorizer:
    """A vectorizer of scikit-learn that counts the pieces that ``cut`` gives."""
    return TfidfVectorizer(
        analyzer=cut, token_pattern=None, lowercase=False, dtype=np.float64, sublinear_tf=True
    )


def fit_terms(vectorizer: CountVectorizer, corpus: Sequence[str], *, model: str) -> csr_array:
    """Fit a scikit-learn vectorizer on a corpus, whatever the order of its texts."""
    require_words(corpus, vectorizer.analyzer, model=model)
    return csr_array(vectorizer.fit_transform(sorted(corpus)))


def require_words(corpus: Sequence[str], cut: Cut, *, model: str) -> None:
    """Refuse a corpus that a lexical model cannot be fitted on."""
    if not any(map(cut, corpus)):
        raise InputError(
            f"{model!r} cannot be fitted: no letter or digit in any of the {len(corpus)} texts of the corpus",
            next_step="Give it the code of at least one unit",
        )


def fingerprint_terms(model: str, corpus: Sequence[str], **parameters: object) -> str:
    """Name a lexical model by its parameters, the way it cuts words and the corpus it is fitted on."""
    settings = " ".join(f"{key}={value}" for key, value in sorted(parameters.items()))
    return f"{model} {settings} pieces={REVISION} corpus=sha256:{corpus_digest(corpus)}"


def dot_pairs(left: csr_array, right: csr_array, left_index: I64, right_index: I64) -> F64:
    """Dot products of chosen pairs of sparse rows."""
    products = np.empty(len(left_index))
    for start in range(0, len(products), _PAIRS_AT_ONCE):
        chunk = slice(start, start + _PAIRS_AT_ONCE)
        products[chunk] = left[left_index[chunk]].multiply(right[right_index[chunk]]).sum(axis=1)
    return products
