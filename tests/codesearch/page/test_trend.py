"""Iterations of a loop."""

from dataclasses import replace

import pytest

from tellapart.codesearch.looping.trend import History
from tellapart.codesearch.page import load, trend
from tellapart.codesearch.page.charts import trend_chart


@pytest.fixture
def loop(looped):
    return load(looped)


def changed(loop, **fields):
    return replace(loop, history=History.model_validate(loop.history.to_json() | fields))


def test_an_area_that_fell_is_named_and_told(loop):
    assert trend_chart(loop).title == "billing got worse in iteration 2; roll it back"
    (row,) = trend.gates_table(loop).rows
    assert [cell if isinstance(cell, str) else cell.text for cell in row][2:] == [
        "worse", "1", "-0.250 (-0.400 to -0.100; 6 conversations)",
    ]  # fmt: skip


def test_what_is_unclear_says_why(loop):
    gate = loop.history.to_json()["gates"][0] | {"outcome": "unclear", "reason": "within noise"}
    unclear = changed(loop, gates=[gate])
    assert trend.gates_table(unclear).rows[0][2].text == "cannot tell: within noise"
    assert trend_chart(unclear).title.startswith("From iteration 1 to 2: precision 0.75 to 0.50 and recall")


def test_a_judge_that_failed_makes_nothing_worse(loop):
    iterations = loop.history.to_json()["iterations"]
    iterations[1]["measures"]["precision"] = {
        "macro": None, "interval": None, "interval_reason": "verdicts are missing", "bounds": [0.25, 1.0],
        "conversations": 3, "missing": {"judge": 3},
    }  # fmt: skip
    stopped = {"reason": "unreliable", "iteration": 2, "text": "No."}
    unreliable = changed(loop, gates=[], iterations=iterations, stopped=stopped)
    assert trend_chart(unreliable).title == "The judge failed in iteration 2, so the change cannot be judged"
    shown = trend.trend(unreliable).rows[1][1]
    assert (shown.text, shown.detail) == ("–", "[0.250 to 1.000]")
