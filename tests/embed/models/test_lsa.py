import random

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from tellapart.embed.identifiers import split_identifiers
from tellapart.embed.models import lexical
from tellapart.embed.models.lexical import Lsa

WORDS = [f"{a}{b}{c}" for a in "bdkl" for b in "aeiou" for c in "nmrst"]


def random_texts(n, seed, words=WORDS):
    rng = random.Random(seed)
    return [" ".join(rng.choices(words, k=rng.randint(2, 30))) for _ in range(n)]


def test_texts_without_common_pieces_are_at_right_angles():
    vectors = Lsa(["alpha alpha", "beta"]).project(["alpha", "beta", "alpha beta"])
    # Two texts, two terms, equal idf: the directions are the axes, and "alpha beta" lies half-way.
    assert vectors @ vectors.T == pytest.approx(
        np.array([[1, 0, 0.5**0.5], [0, 1, 0.5**0.5], [0.5**0.5, 0.5**0.5, 1]]), abs=1e-15
    )


def test_equals_the_projection_by_numpys_decomposition(monkeypatch):
    monkeypatch.setattr(lexical, "_DIMENSIONS", 5)
    # With at most 15 texts the randomised decomposition (5 directions and 10 more) is exact.
    corpus, queries = random_texts(15, 1), random_texts(12, 2)
    vectorizer = TfidfVectorizer(analyzer=split_identifiers, sublinear_tf=True, token_pattern=None).fit(
        corpus
    )
    _, _, directions = np.linalg.svd(vectorizer.transform(corpus).toarray(), full_matrices=False)
    expected = vectorizer.transform(queries).toarray() @ directions[:5].T
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    vectors = Lsa(corpus).project(queries)
    assert vectors.shape == (12, 5)
    assert vectors @ vectors.T == pytest.approx(expected @ expected.T, abs=1e-12)


@pytest.mark.parametrize(
    ("corpus", "dimensions"),
    [
        (["alpha"], 1),
        (["alpha beta", "alpha gamma"], 2),
        (["alpha beta", "alpha beta", "gamma"], 2),
        (["alpha", "beta", "alpha beta", "beta"], 2),
    ],
)
def test_dimensions_are_the_rank_of_a_small_corpus(corpus, dimensions):
    model = Lsa(corpus)
    assert model.dimensions == dimensions
    assert model.encode(["alpha", "gamma", "x"]).shape == (3, dimensions)
