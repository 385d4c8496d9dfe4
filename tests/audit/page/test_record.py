import polars as pl
import pytest

from audit.page.stored_figures import figures, fix, pair, two_models
from tellapart.audit import AuditOptions, analyse
from tellapart.audit.figures import figures as figures_of
from tellapart.audit.page.record import ITEM_COLUMNS, item_table, load
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError


def test_what_the_audit_says_is_what_the_report_reads():
    rows = [
        {"model": model, "item": f"q{i}", "score": float(i % k == 0), "difficulty": "ab"[i % 2]}
        for k, model in enumerate("abcd", 1)
        for i in range(24)
    ]
    options = AuditOptions(resamples=200)
    findings = analyse(ScoreTable.from_frame(pl.DataFrame(rows)), options)
    view = load(figures_of(findings, options))
    assert view.models == ("a", "b", "c", "d")
    assert [(one.a, one.b, one.diff) for one in view.pairs] == [
        (one.a, one.b, one.difference) for one in findings.pairs
    ]
    assert view.reliability.value == findings.item_findings.reliability.value
    assert set(ITEM_COLUMNS) <= set(findings.item_findings.table.columns)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"pairs": [{}]}, "pairs.0.a: Field required"),
        ({"surprise": 1}, "surprise: Extra inputs are not permitted"),
        ({"options": None}, "options: Input should be"),
    ],
)
def test_other_figures_are_refused_with_their_place(change, complaint):
    with pytest.raises(InputError, match=complaint):
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


def test_columns_that_no_audit_made_are_null():
    found = item_table(pl.DataFrame({"item": ["q"], "difficulty": [1], "extra": ["x"]}))
    assert found.schema == pl.Schema(ITEM_COLUMNS)
    assert found.row(0) == ("q", None, 1.0, None, None, None)


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
