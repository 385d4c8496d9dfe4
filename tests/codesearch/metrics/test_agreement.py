import pytest

from codesearch.as_json import as_json
from codesearch.explored_cases import case
from tellapart.codesearch.metrics.explorations import agreement, explorer_names, found_again

agreement, explorer_names, found_again = map(as_json, (agreement, explorer_names, found_again))

# Files of A, of B, of both, in all:  4 3 2 5 | 2 2 2 2 | 0 3 0 3 (suspect) | 5 1 0 6
CASES = [case(1, "abcd", "cde"), case(2, "xy", "xy"), case(3, "", "abc"), case(4, "abcde", "f")]


def test_figures_by_hand():
    figures = agreement(CASES)
    # Without the third, whose run A is suspect: 4 of 11; (2/5 + 1 + 0) / 3.
    shares = [figures[name]["value"] for name in ("overlap_of_a", "jaccard")]
    assert shares == pytest.approx([4 / 11, 1.4 / 3])
    assert (figures["conversations"], figures["left_out"]) == (3, 1)
    assert figures["retest"] == {}


def test_run_b_is_held_against_its_own_files():
    found = agreement([case(1, "a", "abcd", again_b="cdef")])["retest"]["run_b"]
    # Of its four files B finds two again.
    assert found["again"]["value"] == 2 / 4
    assert found["verdict"].startswith("run B agrees with itself at 0.33, with run A at 0.25")


def test_retests_that_found_nothing_are_left_out_and_counted():
    cases = [case(1, "ab", "b", again_a=""), case(2, "ab", "b", again_a=None), case(3, "ab", "", again_a="a")]
    found = agreement([*cases, case(4, "ab", "a", again_a="b"), case(5, "ab", "a")])["retest"]["run_a"]
    assert (found["conversations"], found["left_out"]) == (1, 3)
    assert found["itself"]["value"] == 1 / 2
    none = agreement(cases)["retest"]["run_a"]
    assert none["conversations"] == 0
    assert none["verdict"] == (
        "run A was retested, but on no conversation did it and run B find files each time"
    )
