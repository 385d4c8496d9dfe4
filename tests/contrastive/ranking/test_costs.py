"""Costs and seconds are those of the record and the journal of whoever wrote the summaries."""

import pytest

from tellapart.contrastive.kept_benchmark import calls_by_unit
from tellapart.contrastive.ranking.costs import cost_of
from tellapart.llm.journal import CallJournal


@pytest.fixture
def calls(tmp_path):
    """Twenty units of which each took 1, 2, …, 20 seconds; the first took a second call of half a second."""
    with CallJournal(tmp_path / "calls.jsonl") as journal:
        for i in range(20):
            journal.append(f"{i:064x}", {"model": "m", "question": f"u{i}", "seconds": i + 1.0, "reply": ""})
        journal.append(f"{20:064x}", {"model": "m", "question": "u0", "seconds": 0.5, "reply": ""})
        failed = {"model": "m", "question": "u21", "seconds": 99.0, "failure": {"kind": "timeout"}}
        journal.append(f"{21:064x}", failed)
    return calls_by_unit(tmp_path / "calls.jsonl")


def test_seconds_of_a_summary_are_those_of_all_its_answered_calls(calls):
    assert calls.height == 20
    assert calls.row(0) == ("m", "u0", 2, 1.5)
    cost = cost_of("m", {"m": {"cost": 0.5}}, calls, summaries=20)
    # The values are 1.5, 2, 3, …, 20: the median lies between 10 and 11, and 95 % at place .95 * 19 = 18.05.
    assert cost.latency.value == 10.5
    assert cost.latency_p95.value == pytest.approx(19.05)
    assert cost.latency.n == 20
    assert cost.latency.low < 10.5 < cost.latency.high


def test_the_cost_of_a_summary_is_counted_and_what_is_not_known_has_a_reason(calls):
    cost = cost_of("m", {"m": {"cost": 0.5}}, None, summaries=20)
    assert (cost.each.value, cost.each.low, cost.each.n, cost.total) == (0.025, None, 20, 0.5)
    assert cost.latency.reason == "the run does not keep how long calls took: run it again"
    no_price = cost_of("m", {"m": {"cost": None}}, calls, summaries=20)
    assert (no_price.each.value, no_price.each.reason) == (
        None,
        "no price was given: build with --price IN,OUT",
    )
    nobody = cost_of("docstring", {"m": {"cost": 0.5}}, calls, summaries=20)
    assert nobody.each.reason == nobody.latency.reason
    assert nobody.each.reason == "the runs keep no record of a language model that wrote these summaries"
