import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from embed.fakes import Scripted
from tellapart.embed.cosine import unit_cosines, unit_rows
from tellapart.embed.models.hashing import HashingEmbedder
from tellapart.embed.vector_matcher import VectorMatcher
from tellapart.errors import InputError


def indices(*values):
    return np.array(values, dtype=np.int64)


def cosine_pairs(left, right, i, j):
    return unit_cosines(unit_rows(left), unit_rows(right), i, j)


def test_cosines_derived_by_hand():
    model = Scripted(
        query={"q": [3, 4]},
        document={"same": [6, 8], "right angle": [-4, 3], "against": [-3, -4], "x": [1, 0]},
    )
    documents = ["same", "right angle", "against", "x"]
    scores = VectorMatcher(model).score_pairs(["q"], documents, indices(0, 0, 0, 0), indices(0, 1, 2, 3))
    assert scores.dtype == np.float64
    assert scores == pytest.approx([1, 0, -1, 0.6], abs=1e-9)


def test_a_zero_vector_has_cosine_zero():
    model = Scripted(query={"q": [3, 4], "nothing": [0, 0]}, document={"d": [3, 4], "empty": [0, 0]})
    scores = VectorMatcher(model).score_pairs(
        ["q", "nothing"], ["d", "empty"], indices(0, 1, 1), indices(1, 0, 1)
    )
    assert scores.tolist() == [0, 0, 0]


def test_each_distinct_text_that_is_named_is_encoded_once_as_its_kind():
    model = Scripted(query={"a": [1, 0], "b": [0, 1]}, document={"a": [0, 1], "c": [1, 1]})
    scores = VectorMatcher(model).score_pairs(
        ["a", "b", "a", "unused"], ["c", "a", "c", "unused"], indices(2, 0, 1, 0), indices(1, 0, 2, 2)
    )
    assert model.asked == [("query", ["a", "b"]), ("document", ["c", "a"])]
    assert scores == pytest.approx([0, *[1 / np.sqrt(2)] * 3], abs=1e-9)


@pytest.mark.parametrize("pairs", [1, 2, 7, 50])
def test_equals_scikit_learn_for_odd_and_even_numbers_of_pairs(pairs):
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(13, 40)).astype(np.float32), rng.normal(size=(17, 40)).astype(np.float32)
    i, j = rng.integers(0, 13, pairs), rng.integers(0, 17, pairs)
    expected = cosine_similarity(left.astype(float), right.astype(float))[i, j]
    assert cosine_pairs(left, right, i, j) == pytest.approx(expected, abs=5e-9)


def test_pairs_that_share_their_left_row_in_fours_and_those_that_do_not():
    # The second four begins and ends with the same row but is not of one row; the last is not complete.
    i = [5, 5, 5, 5, 0, 1, 1, 0, 2, 2, 2, 3, 4, 4, 4, 4, 4, 4, 4]
    j = [(7 * k) % 6 for k in range(len(i))]
    rows = np.random.default_rng(3).normal(size=(6, 37)).astype(np.float32)
    expected = cosine_similarity(rows.astype(float))[i, j]
    assert cosine_pairs(rows, rows, i, j) == pytest.approx(expected, abs=5e-9)


def test_large_and_small_vectors_keep_their_cosine():
    large = np.array([[3e30, 4e30]], dtype=np.float32)
    small = np.array([[4e-30, 3e-30]], dtype=np.float32)
    assert cosine_pairs(large, small, indices(0), indices(0)) == pytest.approx([0.96], rel=1e-7)


def test_no_pairs_ask_the_model_nothing():
    model = Scripted()
    assert VectorMatcher(model).score_pairs(["a"], ["b"], indices(), indices()).shape == (0,)
    assert model.asked == []


def test_queries_and_documents_of_other_dimensions_are_refused():
    model = Scripted(query={"q": [1, 0]}, document={"d": [1, 0, 0]})
    with pytest.raises(InputError, match="document vectors of 3 dimensions after vectors of 2"):
        VectorMatcher(model).score_pairs(["q"], ["d"], indices(0), indices(0))


def test_a_vector_with_nan_is_refused():
    model = Scripted(query={"q": [1, 0]}, document={"def f(): pass": [1, np.nan]})
    with pytest.raises(InputError, match=r"'scripted' gave NaN .* 1 of 1 document texts.* 'def f\(\): pass'"):
        VectorMatcher(model).score_pairs(["q"], ["def f(): pass"], indices(0), indices(0))


def test_name_and_fingerprint_come_from_the_embedder():
    matcher = VectorMatcher(HashingEmbedder())
    assert matcher.name == "hashing"
    assert matcher.fingerprint == f"cosine {HashingEmbedder.fingerprint}"


@pytest.mark.parametrize("dimensions", [1, 3, 384])
def test_the_bits_do_not_depend_on_the_order_of_pairs_or_dimensions(dimensions):
    rng = np.random.default_rng(1)
    rows = unit_rows(rng.normal(size=(30, dimensions)).astype(np.float32))
    i, j, order = rng.integers(0, 30, 101), rng.integers(0, 30, 101), rng.permutation(101)
    cosines = unit_cosines(rows, rows, i, j)
    turned = np.ascontiguousarray(rows[:, ::-1])
    assert unit_cosines(turned, turned, j[order], i[order]).tolist() == cosines[order].tolist()


def test_a_vector_and_its_double_tie_exactly():
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(2, 100)).astype(np.float32)
    cosines = cosine_pairs(rows[:1], np.stack([rows[1], rows[1] * 2]), indices(0, 0), indices(0, 1))
    assert cosines[0] == cosines[1]


@pytest.mark.parametrize(("i", "j"), [([0], [0, 0]), ([2], [0]), ([0], [-1])])
def test_indices_that_do_not_fit_are_refused(i, j):
    rows = unit_rows(np.eye(2, dtype=np.float32))
    with pytest.raises(ValueError, match="indices|outside the 2 rows"):
        unit_cosines(rows, rows, i, j)
