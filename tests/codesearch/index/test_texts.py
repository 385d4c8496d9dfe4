import random

import pytest

from tellapart.codesearch.index.naming import Texts

ODD = ["", "a", "a\nb", "ab", "b", "größe", "どこ", "\udcff", "𝒳"]


def test_texts_are_sorted_by_code_point_and_each_stands_once():
    texts = Texts.of(random.Random(1).sample(ODD * 2, len(ODD) * 2))
    assert list(texts) == sorted(ODD)
    assert (len(texts), texts[-1], texts[1:3]) == (len(ODD), "𝒳", ["a", "a\nb"])
    with pytest.raises(IndexError):
        texts[len(ODD)]


def test_each_is_found_and_nothing_else():
    texts = Texts.of(ODD)
    assert [texts.place(text) for text in sorted(ODD)] == list(range(len(ODD)))
    assert [texts.place(text) for text in ("A", "aa", "c", "𝒴", "gr")] == [None] * 5
    assert Texts.of([]).place("") is None


def test_they_come_back_from_arrays():
    arrays = Texts.of(ODD).arrays("x") | Texts.of("z").arrays("y")
    assert list(Texts.kept(arrays, "x")) == sorted(ODD)
