"""Iterations of a loop."""

import pytest

from codesearch.explored_cases import case
from codesearch.looping.made_iterations import iteration
from tellapart.codesearch.looping.trend import History
from tellapart.codesearch.looping.trend import trend as trend_of
from tellapart.codesearch.page import load, trend


@pytest.fixture
def history(looped):
    return load(looped).history


def changed(history, **fields):
    return History.model_validate(history.to_json() | fields)


def test_an_area_that_fell_is_named(history):
    (row,) = trend.gates(history).rows
    assert [cell.text for cell in row] == [
        "billing", "precision", "worse", "1", "-0.250 (-0.400 to -0.100; 6 conversations)",
    ]  # fmt: skip
    assert trend.gates(changed(history, gates=[])) is None


def test_what_is_unclear_says_why(history):
    gate = history.to_json()["gates"][0] | {"outcome": "unclear", "reason": "within noise"}
    assert trend.gates(changed(history, gates=[gate])).rows[0][2].text == "cannot tell: within noise"


def test_a_judge_that_failed_leaves_bounds(history):
    iterations = history.to_json()["iterations"]
    iterations[1]["measures"]["precision"] = {
        "macro": None, "interval": None, "interval_reason": "verdicts are missing", "bounds": [0.25, 1.0],
        "conversations": 3, "missing": {"judge": 3},
    }  # fmt: skip
    shown = trend.iterations(changed(history, iterations=iterations)).rows[1]
    assert (shown[0].detail, shown[1].text, shown[1].detail) == ("unreliable", "–", "[0.250 to 1.000]")


def test_a_change_and_what_may_have_caused_it_are_told():
    before = iteration(1, *(case(i, "ab", "ab", "ax", judged="") for i in range(2)))
    now = iteration(2, *(case(i, "ab", "ab", "ab", judged="", names=("bx", "bx")) for i in range(2)))
    first, second = trend.iterations(History(iterations=trend_of([before, now]))).rows
    assert [cell.text for cell in first] == ["1", "0.500", "0.500", "", "2", ""]
    assert [cell.text for cell in second] == ["2", "1.000", "1.000", "+0.500", "2", "other files"]
    assert second[3].detail.endswith("not separated")
    assert second[5].detail == "other explorers, so no change is held to the limit"
