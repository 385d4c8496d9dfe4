import numpy as np
import pytest

from embed.fakes import Scripted
from tellapart.embed.protocol import checked_vectors
from tellapart.errors import InputError


class Returning:
    name = "returning"
    fingerprint = "returning"

    def __init__(self, vectors):
        self.vectors = vectors

    def encode(self, texts, *, kind="document"):
        return self.vectors


def test_good_vectors_pass_in_single_precision():
    vectors = checked_vectors(Returning([[1, 2], [3, 4]]), ["a", "b"], kind="query", dimensions=2)
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[1, 2], [3, 4]]


def test_a_vector_that_is_not_finite_is_refused_by_name():
    model = Scripted(query={"good": [1, 2], "b" * 80: [1, np.inf], "worse": [np.nan, 2]})
    with pytest.raises(InputError) as refusal:
        checked_vectors(model, ["good", "b" * 80, "worse"], kind="query")
    assert str(refusal.value) == (
        "model 'scripted' gave NaN or infinity for 2 of 3 query texts, the first of which begins "
        f"'{'b' * 60}'. No score can be computed from such a vector; check the model or leave it out."
    )


@pytest.mark.parametrize("vectors", [[[1, 2]], [1, 2], [[[1], [2]], [[3], [4]]]])
def test_anything_but_one_row_a_text_is_refused(vectors):
    shape = np.shape(vectors)
    with pytest.raises(InputError) as refusal:
        checked_vectors(Returning(vectors), ["a", "b"], kind="document")
    assert f"'returning' gave an array of shape {shape} for 2 document texts" in str(refusal.value)
