"""Iterations of a loop."""

from dataclasses import replace

import pytest

from tellapart.codesearch.looping.records import History
from tellapart.codesearch.page import load, trend
from tellapart.codesearch.page.charts import trend_chart


@pytest.fixture
def loop(looped):
    return load(looped)


def test_a_judge_that_failed_makes_nothing_worse(loop):
    history = loop.history.to_json()
    fallen = history["regressions"].pop() | {"fall": "unreliable"}
    history.update(
        {
            "undecided": [fallen],
            "stopped": {"reason": "unreliable", "iteration": 2, "text": "No."},
        }
    )
    history["iterations"][1]["measures"]["precision"] = {
        "value": None, "low": None, "high": None, "bounds": [0.25, 1.0], "n": 3,
        "reason": "verdicts are missing",
    }  # fmt: skip
    loop = replace(loop, history=History.model_validate(history))
    assert trend_chart(loop).title == "The judge failed in iteration 2, so the change cannot be judged"
    (row,) = trend.regressions_table(loop).rows
    assert row[2].text == "unreliable: verdicts are missing"
    shown = trend.trend(loop).rows[1][1]
    assert (shown.text, shown.detail) == ("–", "[0.250 to 1.000]")


def test_the_chart_says_which_step_is_beyond_chance(loop):
    history = loop.history.to_json() | {"regressions": []}
    assert trend_chart(replace(loop, history=History.model_validate(history))).title == (
        "From iteration 1 to 2: precision 0.75 to 0.50 and recall 0.80 to 0.80; the step to 2 beyond chance"
    )
    for found in history["iterations"][1]["since"]["measures"].values():
        found["beyond_chance"] = False
    assert trend_chart(replace(loop, history=History.model_validate(history))).title.endswith(
        "; no step is beyond chance"
    )


@pytest.mark.parametrize(
    ("beyond", "difference", "expected"), [(True, -0.1, 1), (True, 0.1, 0), (False, -0.1, 0)]
)
def test_only_falls_beyond_chance_are_marked(loop, beyond, difference, expected):
    history = loop.history.to_json()
    change = history["iterations"][1]["since"]["measures"]["recall"]
    change |= {"beyond_chance": beyond, "difference": difference}
    first, second = History.model_validate(history).iterations
    assert trend.got_worse(second, "recall") == bool(expected)
    assert not trend.got_worse(first, "recall")
