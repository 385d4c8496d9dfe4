import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from tellapart.embed import terms
from tellapart.embed.identifiers import split_identifiers
from tellapart.embed.terms import dot_pairs, fingerprint_terms, fit_terms
from tellapart.errors import InputError


def test_rows_are_those_of_the_sorted_corpus():
    counter = CountVectorizer(analyzer=split_identifiers)
    rows = fit_terms(counter, ["readFile file", "Parse"], model="bm25")
    assert list(counter.get_feature_names_out()) == ["file", "parse", "read"]
    assert rows.toarray().tolist() == [[0, 1, 0], [2, 0, 1]]


@pytest.mark.parametrize("corpus", [[], ["", "--"]])
def test_a_corpus_without_words_is_refused(corpus):
    with pytest.raises(InputError, match=f"'lsa' cannot be fitted: .* any of the {len(corpus)} texts"):
        fit_terms(CountVectorizer(analyzer=split_identifiers), corpus, model="lsa")


def test_fingerprint_names_parameters_and_corpus():
    first = fingerprint_terms("bm25", ["a", "b"], k1=1.5, b=0.75)
    assert first.startswith("bm25 b=0.75 k1=1.5 pieces=1 corpus=sha256:")
    assert first == fingerprint_terms("bm25", ["b", "a"], b=0.75, k1=1.5)
    assert first != fingerprint_terms("bm25", ["a", "b"], k1=1.2, b=0.75)
    assert first != fingerprint_terms("bm25", ["a", "c"], k1=1.5, b=0.75)


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_dot_pairs_equals_the_dense_product(monkeypatch, at_once):
    monkeypatch.setattr(terms, "_PAIRS_AT_ONCE", at_once)
    rng = np.random.default_rng(0)
    left, right = rng.poisson(0.4, (9, 30)).astype(float), rng.poisson(0.4, (11, 30)).astype(float)
    i, j = rng.integers(0, 9, 40), rng.integers(0, 11, 40)
    assert dot_pairs(csr_array(left), csr_array(right), i, j).tolist() == (left @ right.T)[i, j].tolist()


def test_no_pairs_give_no_products():
    row = csr_array(np.ones((1, 2)))
    none = np.empty(0, dtype=np.int64)
    assert dot_pairs(row, row, none, none).shape == (0,)
