"""Similarities in double precision; ranks and ties against whole numbers."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import cosine_similarity

from embed.fakes import Scripted
from tellapart.core.figure_units import VECTOR_SIMILARITIES
from tellapart.embed.lineups import Lineups
from tellapart.embed.similarity import VectorMatcher, VectorRows, VectorSimilarity, embed
from tellapart.embed.vector_pairs import vector_pairs
from tellapart.errors import UsageError

BY_HAND = {
    # (3, 4) with (6, 8), (-4, 3) and (0, 0).
    "cosine": [1, 0, 0],
    "dot": [50, 0, 0],
    "euclidean": [-5, -(50**0.5), -5],
    "manhattan": [-7, -8, -7],
}


@pytest.mark.parametrize("similarity", VECTOR_SIMILARITIES)
def test_a_matcher_compares_as_the_embedder_says(similarity):
    model = Scripted(query={"q": [3, 4]}, document={"long": [6, 8], "turned": [-4, 3], "none": [0, 0]})
    model.similarity = similarity
    matcher = VectorMatcher(model)
    pairs = np.zeros(3, dtype=np.int64), np.arange(3)
    scores = matcher.score_pairs(["q"], ["long", "turned", "none"], *pairs)
    assert scores == pytest.approx(BY_HAND[similarity], abs=1e-9)
    assert (matcher.unit, matcher.fingerprint.split()[0]) == (similarity, similarity)
    embedded = embed(matcher, ["q"], ["long", "turned", "none"])
    assert embedded.unit == similarity
    assert embedded.similarity(*pairs).tolist() == scores.tolist()
    faults = ["", "", "zero vector"] if similarity == "cosine" else ["", "", ""]
    assert embedded.option_faults.tolist() == faults


def test_a_similarity_that_the_user_names_goes_before_the_embedders_own():
    model = Scripted(query={"q": [3, 4]}, document={"d": [6, 8]})
    model.similarity = "cosine"
    first = np.zeros(1, dtype=np.int64)
    assert VectorMatcher(model, "dot").score_pairs(["q"], ["d"], first, first).tolist() == [50]
    with pytest.raises(UsageError, match="unknown similarity 'l2'"):
        VectorMatcher(model, "l2")


@pytest.mark.parametrize("similarity", VECTOR_SIMILARITIES)
@pytest.mark.parametrize("dimensions", [1, 4, 7, 384])
def test_equals_scikit_learn_and_is_symmetric(similarity, dimensions):
    rng = np.random.default_rng(dimensions)
    left, right = (rng.normal(size=(n, dimensions)).astype(np.float32) for n in (13, 17))
    i, j = rng.integers(0, 13, 90), rng.integers(0, 17, 90)
    wide = left.astype(float), right.astype(float)
    expected = {
        "cosine": lambda: cosine_similarity(*wide),
        "dot": lambda: wide[0] @ wide[1].T,
        "euclidean": lambda: -pairwise_distances(*wide, metric="euclidean"),
        "manhattan": lambda: -pairwise_distances(*wide, metric="manhattan"),
    }[similarity]()[i, j]
    values = vector_pairs(left, right, i, j, similarity)
    assert values == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert vector_pairs(right, left, j, i, similarity).tolist() == values.tolist()


def test_large_and_small_vectors_keep_their_cosine():
    large = np.array([[3e30, 4e30]], dtype=np.float32)
    small = np.array([[4e-30, 3e-30]], dtype=np.float32)
    assert vector_pairs(large, small, [0], [0], "cosine") == pytest.approx([0.96], rel=1e-7)


def exact_order(anchor, option, similarity):
    """A number without rounding that grows with the similarity; vectors are whole numbers."""
    products = sum(a * b for a, b in zip(anchor, option, strict=True))
    if similarity == "cosine":
        squares = sum(b * b for b in option)
        return Fraction(products * abs(products), squares) if squares else Fraction(0)
    if similarity == "dot":
        return products
    gaps = [a - b for a, b in zip(anchor, option, strict=True)]
    return -sum(gap * gap if similarity == "euclidean" else abs(gap) for gap in gaps)


@pytest.mark.parametrize("similarity", VECTOR_SIMILARITIES)
def test_ranks_and_ties_are_those_of_whole_numbers(similarity):
    # Counts of few words: the same angle comes about in many ways.
    rng = np.random.default_rng(4)
    anchors = rng.integers(-2, 3, size=(300, 11))
    options = rng.integers(-2, 3, size=(300 * 8, 11)) * rng.integers(1, 4, size=(300 * 8, 1))
    lineups = Lineups(np.arange(300), np.arange(2400), np.arange(0, 2401, 8))
    rows = [VectorRows.of(side.astype(np.float32)) for side in (anchors, options)]
    between = VectorSimilarity(*rows, similarity)
    ranking = lineups.rank(between)
    expected = []
    for i, anchor in enumerate(anchors.tolist()):
        shown = options[8 * i : 8 * i + 8].tolist()
        target, *others = (exact_order(anchor, row, similarity) for row in shown)
        above, level = sum(other > target for other in others), sum(other == target for other in others)
        best = next(k for k, other in enumerate(others, start=1) if other == max(others))
        expected.append((1 + above, level, 8 * i + best, max(others) < target))
    columns = ranking.rank, ranking.ties, ranking.best_distractor, ranking.margin > 0
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
    assert ranking.ties.sum() > 10


def test_what_is_nearer_than_rounding_but_no_tie_keeps_its_order():
    # Cosines of 1 - t**2 / 2 for t of a few 2**-16: 1e-10 apart.
    anchor = np.array([[1, 0]], dtype=np.float32)
    options = np.array([[1, 5 * 2**-16], [1, 6 * 2**-16], [1, 4 * 2**-16], [0, 1]], dtype=np.float32)
    between = VectorSimilarity(*(VectorRows.of(rows) for rows in (anchor, options)))
    ranking = Lineups(np.zeros(1, dtype=np.int64), np.arange(4), np.array([0, 4])).rank(between)
    assert (ranking.rank[0], ranking.ties[0], ranking.best_distractor[0]) == (2, 0, 2)
    assert ranking.margin[0] == pytest.approx((16 - 25) * 2**-33, rel=1e-6)
