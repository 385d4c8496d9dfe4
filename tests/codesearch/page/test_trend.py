"""Iterations of a loop."""

import pytest

from tellapart.codesearch.looping.trend import History
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
    assert (shown[0].detail, shown[1].text, shown[1].detail) == ("unreliable", "–", "[0.250–1.000]")
