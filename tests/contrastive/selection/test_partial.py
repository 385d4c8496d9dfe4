import numpy as np
import pytest

from reference import contrastive as slow
from tellapart.contrastive.selection.candidates import concepts, partial_matches


def test_concepts_are_runs_of_three_letters_or_digits():
    assert concepts("Sort_users by utf8Name, x42 — Größe 12 abc.abc") == {
        "sort",
        "users",
        "utf8name",
        "x42",
        "abc",
    }


@pytest.mark.parametrize(
    ("code", "matches"),
    [
        ("users sort", True),  # 2 shared of 3: .667
        ("users sort aaa bbb", True),  # 2 of 5: .4
        ("users sort name aaa bbb ccc ddd", True),  # 3 of 7: .43
        ("users sort name", False),  # all of them: 1
        ("users aaa", False),  # 1 of 4: .25
        ("users sort name aaa bbb ccc ddd eee fff ggg", False),  # 3 of 10: .3 exactly
        ("", False),
    ],
)
def test_some_but_not_all_concepts_by_hand(code, matches):
    (found,) = partial_matches(["sort users by name"], [code])
    assert found.tolist() == ([0] if matches else [])


def test_four_fifths_are_too_many():
    (found,) = partial_matches(["one two three four five"], ["one two three four", "one two three"])
    assert found.tolist() == [1]


def test_largest_overlap_first_and_equal_ones_by_position():
    codes = ["aaa bbb xxx", "nothing", "aaa bbb", "bbb ccc", "aaa ccc yyy"]
    # Shares of "aaa bbb ccc": 2/4, 0, 2/3, 2/3, 2/4.
    (found,) = partial_matches(["aaa bbb ccc"], codes)
    assert found.tolist() == [2, 3, 0, 4]


def test_agrees_with_the_documents_own_code():
    rng = np.random.default_rng(5)
    words = [f"word{i}" for i in range(12)] + ["of", "a"]
    texts = [" ".join(rng.choice(words, size=rng.integers(1, 9))) for _ in range(60)]
    expected = [slow.partial_matches(summary, texts[10:]) for summary in texts[:10]]
    assert [found.tolist() for found in partial_matches(texts[:10], texts[10:])] == expected
    assert sum(map(len, expected)) > 20


def test_nothing_to_compare():
    assert partial_matches([], ["abc"]) == []
    assert [found.tolist() for found in partial_matches(["abc def", "of a"], [])] == [[], []]
    assert [found.tolist() for found in partial_matches(["of a"], ["abc"])] == [[]]
