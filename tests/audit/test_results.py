import json

import polars as pl
import pytest
from pydantic import ValidationError

from audit.page.stored_figures import figures, fix, load, pair, two_models
from tellapart.audit import AuditOptions, analyse
from tellapart.audit.results import Findings
from tellapart.core.scores import ScoreTable


def test_the_json_of_an_audit_is_read_as_the_same_audit():
    rows = [
        {"model": model, "item": f"q{i}", "score": float(i % k == 0), "difficulty": "ab"[i % 2]}
        for k, model in enumerate("abcd", 1)
        for i in range(24)
    ]
    findings = analyse(ScoreTable.from_frame(pl.DataFrame(rows)), AuditOptions(resamples=200))
    dumped = findings.model_dump(mode="json")
    read = Findings.model_validate(dumped)
    assert read.model_dump(mode="json") == json.loads(json.dumps(dumped)) == dumped
    assert read.models == ("a", "b", "c", "d")
    assert read.pairs == findings.pairs
    assert [pair.diff for pair in read.pairs] == [pair.difference for pair in read.pairs]
    assert read.reliability.value == findings.reliability.value
    assert list(dumped["reliability"]) == ["kr20", "over_models", "items", "reason"]
    assert findings.item_table.columns == [
        "item", "n_models", "difficulty", "discrimination", "p_negative", "flag",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"pairs": [{}]}, r"pairs\.0\.a\s+Field required"),
        ({"surprise": 1}, r"surprise\s+Extra inputs are not permitted"),
        ({"options": None}, r"options\s+Input should be"),
    ],
)
def test_other_figures_are_refused_with_their_place(change, complaint):
    with pytest.raises(ValidationError, match=complaint):
        load({**figures(), **change})


def test_the_one_ahead_comes_first_with_its_lead():
    view = load(figures())
    one = next(one for one in view.pairs if (one.a, one.b) == ("delta", "gamma"))
    assert (one.ahead, one.behind, one.lead, one.lead_interval) == ("gamma", "delta", 0.09, (-0.0, 0.18))


def test_a_verdict_for_b_puts_b_ahead_whatever_the_mean_says():
    one = load({**two_models(), "pairs": [pair("a", "b", "b>a", -0.1, [-0.2, -0.05], 0.01)]}).pairs[0]
    assert (one.ahead, one.lead, one.lead_interval) == ("b", 0.1, (0.05, 0.2))


def test_pairs_come_by_the_answers_that_their_cheapest_fix_takes():
    # 0 answers again for beta and delta, 40 items for gamma and delta; equivalent ones need nothing.
    view = load(figures())
    assert [one.names for one in view.unseparated] == ["beta and delta", "gamma and delta", "beta and gamma"]
    assert view.cheapest.names == "beta and delta"
    assert [one.names for one in view.separated] == ["alpha and delta", "alpha and gamma", "alpha and beta"]


def test_equivalent_models_need_no_fix():
    found = figures()
    found["pairs"] = [one for one in found["pairs"] if one["verdict"] == "equivalent"]
    assert load(found).cheapest is None


@pytest.mark.parametrize(
    ("change", "name", "value"), [({"kr20": 0.5}, "KR-20", 0.5), ({"alpha": None}, "Cronbach's α", None)]
)
def test_the_coefficient_has_its_name(change, name, value):
    rest = {"over_models": [], "items": 3, "reason": "few"}
    found = load({**figures(), "reliability": {**change, **rest}}).reliability
    assert (found.name, found.value) == (name, value)


def test_answers_again_cost_one_for_each_item():
    # Two answers of two models to each of 100 items are 400, more than those to 150 new items.
    again = pair("a", "b", "not_separated", 0.1, fix=[fix("add_replicates", "", 0, 2)])
    more = pair("a", "c", "not_separated", 0.1, fix=[fix("add_items", "", 150)])
    view = load({**figures(), "pairs": [again, more]})
    assert [one.b for one in view.unseparated] == ["c", "b"]


def test_a_fix_that_says_how_many_answers_it_takes_is_taken_at_its_word():
    # 30 answers that are missing are fewer than those of two models to 16 items.
    rerun = pair("a", "b", "withheld", 0.1, fix=[{**fix("rerun_missing", "", 0, 1), "cost_answers": 30}])
    more = pair("a", "c", "not_separated", 0.1, fix=[fix("add_items", "", 16)])
    view = load({**figures(), "pairs": [more, rerun]})
    assert [one.b for one in view.unseparated] == ["b", "c"]
