"""An embedder as a matcher: which texts it is asked for, and what is refused."""

import numpy as np
import pytest

from embed.fakes import Scripted
from tellapart.embed.similarity import VectorMatcher
from tellapart.errors import InputError


def indices(*values):
    return np.array(values, dtype=np.int64)


def test_each_distinct_text_that_is_named_is_encoded_once_as_its_kind():
    model = Scripted(query={"a": [1, 0], "b": [0, 1]}, document={"a": [0, 1], "c": [1, 1]})
    scores = VectorMatcher(model).score_pairs(
        ["a", "b", "a", "unused"], ["c", "a", "c", "unused"], indices(2, 0, 1, 0), indices(1, 0, 2, 2)
    )
    assert model.asked == [("query", ["a", "b"]), ("document", ["c", "a"])]
    assert scores == pytest.approx([0, *[1 / np.sqrt(2)] * 3], abs=1e-9)


def test_queries_and_documents_of_other_dimensions_are_refused():
    model = Scripted(query={"q": [1, 0]}, document={"d": [1, 0, 0]})
    with pytest.raises(InputError, match="document vectors of 3 dimensions after vectors of 2"):
        VectorMatcher(model).score_pairs(["q"], ["d"], indices(0), indices(0))
