"""Iterations of a loop."""

from dataclasses import replace

import pytest

from tellapart.codesearch.page import load, trend
from tellapart.codesearch.page.charts import overlap_chart, trend_chart
from tellapart.codesearch.page.exploring import overlap_table
from tellapart.codesearch.results.loop import History
from tellapart.codesearch.results.metrics import Metrics


@pytest.fixture
def loop(looped):
    return load(looped)


def test_changes_stand_beside_the_figures(loop):
    first, second = trend.trend(loop).rows
    assert [cell.text for cell in first[:5]] == ["1", "0.750", "–", "0.800", "–"]
    assert [cell.text for cell in second[:5]] == ["2", "0.500", "−0.250", "0.800", "+0.000"]
    assert second[0].detail == "unreliable"
    assert (second[2].detail, second[2].strong) == ("−0.400 to −0.100; beyond chance", True)
    assert (second[4].detail, second[4].strong) == ("no interval; within chance", False)


def test_areas_that_fell_are_named_with_the_iteration_that_was_better(loop):
    (row,) = trend.regressions_table(loop).rows
    assert [cell.text for cell in row] == ["billing", "precision", "worse", "1", "−0.250"]
    assert trend_chart(loop).title == "billing got worse in iteration 2; roll it back"


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


def test_overlap_of_each_iteration_against_what_is_enough(loop):
    # 6 of the 12 files of run A, in both iterations.
    assert overlap_chart(loop).title == (
        "Run B (symbols) found 50 % of the files of run A (lexical); 90 % would be enough"
    )
    assert [row[2].text for row in overlap_table(loop).rows] == ["0.500", "0.500"]


def test_overlap_that_is_enough_now_and_then(loop):
    first, (number, metrics) = loop.iterations
    more = metrics.to_json()
    more["agreement"]["overlap_of_a"]["value"] = 0.95
    loop = replace(loop, iterations=(first, (number, Metrics.model_validate(more))))
    assert overlap_chart(loop).title.endswith("; enough, 90 %, in 1 of 2 iterations")


def test_one_iteration_has_no_chart(view):
    assert trend_chart(view) is None
    assert overlap_chart(view) is None
