from math import log, sqrt

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from tellapart.embed.identifiers import split_identifiers
from tellapart.embed.models import lexical
from tellapart.embed.models.lexical import Tfidf
from tellapart.errors import InputError

CORPUS = ["read file", "write file file", "parse json"]
NINE = np.divmod(np.arange(9), 3)


def test_cosines_derived_by_hand():
    # idf = 1 + ln(4 / (1 + df)): rare = 1 + ln 2 for pieces of one text, common = 1 + ln(4/3) for "file".
    # tf 2 weighs 1 + ln 2. "read file" = (rare, common) on (read, file);
    # "write file file" = (rare, (1 + ln 2) common) on (write, file).
    rare, common, twice = 1 + log(2), 1 + log(4 / 3), 1 + log(2)
    cosine = common * twice * common / sqrt(rare**2 + common**2) / sqrt(rare**2 + (twice * common) ** 2)
    scores = Tfidf(CORPUS).score_pairs(["readFile"], CORPUS, np.zeros(3, dtype=np.int64), np.arange(3))
    assert scores == pytest.approx([1, cosine, 0], abs=1e-15)


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_equals_scikit_learns_cosine(monkeypatch, at_once):
    monkeypatch.setattr(lexical, "_PAIRS_AT_ONCE", at_once)
    queries = ["open the file and parse it", "write json", "unheard of"]
    vectorizer = TfidfVectorizer(analyzer=split_identifiers, sublinear_tf=True, token_pattern=None).fit(
        CORPUS
    )
    expected = cosine_similarity(vectorizer.transform(queries), vectorizer.transform(CORPUS))
    scores = Tfidf(CORPUS).score_pairs(queries, CORPUS, *NINE).reshape(3, 3)
    assert scores == pytest.approx(expected, abs=1e-15)
    assert scores[2].tolist() == [0, 0, 0]
    none = np.empty(0, dtype=np.int64)
    assert Tfidf(CORPUS).score_pairs(queries, CORPUS, none, none).shape == (0,)


@pytest.mark.parametrize("corpus", [[], ["", "--"]])
def test_a_corpus_without_words_is_refused(corpus):
    with pytest.raises(InputError, match=f"'tfidf' cannot be fitted: .* any of the {len(corpus)} texts"):
        Tfidf(corpus)
