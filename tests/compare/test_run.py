"""Candidates against a baseline: the same numbers as every other command, and the gate on top."""

from dataclasses import fields

import pytest

from support.score_tables import table_of
from tellapart.compare.run import compare_reading
from tellapart.core.comparison import ComparisonSettings, Gate, compare, to_json
from tellapart.core.comparison.gates import run_gates
from tellapart.core.score_grid import score_grid
from tellapart.errors import UsageError
from tellapart.readers import Reading

N = 200


def right(n, of=N):
    return [1.0] * n + [0.0] * (of - n)


def table(scores, limits=(0.0, 1.0)):
    kinds = ["odd" if i % 2 else "even" for i in range(N)]
    return table_of(scores, limits=limits, name="q{:03}", kind=kinds)


def compared(scores, max_drop=None, **settings):
    baseline, *others = scores
    reading = Reading(table(scores), {}, sources={"first": (baseline,), "second": tuple(others)})
    return compare_reading(reading, ComparisonSettings(**settings), max_drop=max_drop)


THREE = {"base": right(160), "worse": right(120), "better": right(190)}


def test_the_figures_are_those_of_the_comparison_and_of_the_gates():
    made = compared(THREE, 0.02)
    record = made.model_dump(mode="json")
    settings = ComparisonSettings(baseline="base")
    expected = to_json(compare(table(THREE), settings))
    assert record["comparison"] == expected
    gates = run_gates(score_grid(table(THREE)), 0.02, settings)
    assert (*made.other_gates, made.gate) == gates
    assert record["gate"].keys() == {field.name for field in fields(Gate)}


def test_the_worst_gate_stands_for_all():
    record = compared(THREE, 0.02)
    assert [(of.candidate, of.outcome) for of in record.gates] == [("worse", "failed"), ("better", "passed")]
    gate = record.gate
    assert (gate.candidate, gate.limit, gate.n) == ("worse", 0.02, 200)
    assert gate.drop == pytest.approx(0.2)
    assert gate.interval[0] < 0.2 < gate.interval[1]
    assert gate.items_needed is None
    assert record.outcome == "failed"


def test_a_gate_on_a_part_is_about_that_part():
    # Of 100 odd items 30 are lost, of the even ones none: the part is known before the candidate is scored.
    odd = [score if i % 2 == 0 or i > 60 else 0.0 for i, score in enumerate(right(160))]
    done = compared({"base": right(160), "new": odd}, 0.02, primary=("kind", "odd"))
    assert (done.gate.scope, done.gate.n, done.outcome) == ("kind=odd", 100, "failed")
    assert done.comparison.primary.declared
    assert compared({"base": right(160), "new": odd}, 0.02, primary=("kind", "even")).outcome == "unchanged"
    without_gate = compared({"base": right(160), "new": odd}, primary=("kind", "odd"))
    assert not without_gate.comparison.primary.declared


def test_a_limit_is_in_the_units_of_the_scores():
    graded = {"base": [4.0, 5.0, 4.5] * 30, "new": [2.0, 2.5, 3.0] * 30}
    reading = Reading(table(graded, (0.0, 5.0)), {}, sources={"a": ("base",), "b": ("new",)})
    done = compare_reading(reading, max_drop=0.5)
    assert (done.outcome, done.limits) == ("failed", (0.0, 5.0))
    with pytest.raises(UsageError, match="expected a number from 0 up to, but not including, 5"):
        compare_reading(reading, max_drop=5.0)
