import random
from math import log

import numpy as np
import pytest

from reference.bm25 import bm25
from tellapart.embed.models.lexical import Bm25
from tellapart.errors import InputError

CORPUS = ["read file", "write file file", "parse json"]

WORDS = ["read", "write", "open", "close", "file", "path", "json", "node", "list", "find", "sort"]


def random_texts(n, seed):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randint(1, 25))) for _ in range(n)]


def all_pairs(matcher, queries, documents):
    i, j = np.divmod(np.arange(len(queries) * len(documents)), len(documents))
    return matcher.score_pairs(queries, documents, i, j).reshape(len(queries), len(documents))


def test_scores_derived_by_hand():
    # N = 3, mean length 7/3; idf(read) = ln(1 + 2.5/1.5) = ln(8/3), idf(file) = ln(1 + 1.5/2.5) = ln(1.6).
    # "read file", length 2: 1.5 (1/4 + 3/4 · 6/7) = 75/56, so tf 1 gives 1 / (1 + 75/56) = 56/131.
    # "write file file", length 3: 1.5 (1/4 + 3/4 · 9/7) = 51/28, so tf 2 gives 2 / (2 + 51/28) = 56/107.
    expected = [(log(8 / 3) + log(1.6)) * 56 / 131, log(1.6) * 56 / 107, 0.0]
    assert all_pairs(Bm25(CORPUS), ["readFile"], CORPUS)[0] == pytest.approx(expected, rel=1e-14)


def test_a_document_outside_the_corpus_is_refused():
    with pytest.raises(InputError, match="fitted without the document that begins 'read unheard of file'"):
        all_pairs(Bm25(CORPUS), ["read"], ["read file", "read unheard of file"])


def test_equals_the_formula():
    corpus, queries = random_texts(40, 1), random_texts(10, 2)
    cut = [text.split() for text in corpus]
    expected = [[bm25(query.split(), text, cut) for text in cut] for query in queries]
    assert all_pairs(Bm25(corpus), queries, corpus) == pytest.approx(np.array(expected), rel=1e-13)
