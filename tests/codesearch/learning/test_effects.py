from dataclasses import replace

import pytest

from codesearch.learning.learnt_cases import made
from tellapart.codesearch.learning.labels import label_cases
from tellapart.codesearch.learning.proposals import effect_of


def effect(cases, gone, basis="judged"):
    return effect_of(label_cases(cases, basis), basis, lambda one: gone, 0)


def test_means_before_and_after_by_hand():
    cases = [
        made("1", found="ab", noise="no", missed="m", area="x"),
        made("2", found="b", noise="n", missed="c", area="y"),
        made("3", found="a", area="z"),
    ]
    found = effect(cases, "nb")
    precision, recall = found.whole["precision"], found.whole["recall"]
    # 2/4, 1/2 and 1, then 1/2, nothing and 1; without b the second has no file, and no precision.
    assert precision.before == pytest.approx(2 / 3) and precision.after == 0.75
    assert (precision.difference, precision.conversations, precision.p) == (0, 2, 1)
    # 2/3, 1/2, 1, then 1/3, 0 and 1.
    assert recall.before == pytest.approx(13 / 18) and recall.after == pytest.approx(4 / 9)
    assert recall.difference == pytest.approx(-(1 / 3 + 1 / 2) / 3) and recall.p == 2 / 4
    assert found.emptied == ("2",)
    assert found.hurt() == {
        "x": {"recall": pytest.approx(-1 / 3), "relevant_lost": 1},
        "y": {"recall": -0.5, "relevant_lost": 1},
    }
    assert found.precision is precision


def test_a_relevant_file_that_no_exploration_found_is_lost_though_recall_does_not_say_so():
    found = effect([made("1", found="a", judged="j", noise="n")], "jn")
    assert found.whole["recall"].after == found.whole["recall"].before == 1
    assert found.hurt() == {"uncertain": {"relevant_lost": 1}}


def test_without_verdicts_the_measures_that_need_none_are_counted():
    found = effect([made("1", found="a", noise="nop"), made("2", found="a")], "nop", "union")
    assert list(found.whole) == ["precision_union", "recall_union"]
    assert (found.precision.before, found.precision.after) == (0.625, 1)
    assert found.hurt() == {} and found.emptied == ()


def test_a_failed_verdict_leaves_no_effect_and_nothing_is_hurt_by_no_change():
    cases = [made("1", found="a", noise="n", failed="f")]
    assert (effect(cases, "n").precision.before, effect(cases, "n").precision.after) == (None, None)
    # Without f there is nothing left that needs a verdict.
    assert effect(cases, "f").precision.after == 1 / 2
    unchanged = effect([made("1", found="a", noise="n")], "z")
    assert unchanged.precision.difference == 0 and unchanged.hurt() == {}


def test_a_search_that_found_nothing_is_not_left_without_files():
    assert effect([made("1", missed="m"), made("2", noise="n", missed="m")], "n").emptied == ("2",)


def test_a_conversation_that_needs_no_verdict_any_more_is_in_the_mean_after():
    unjudged = replace(made("2", found="a", noise="n"), verdicts={})
    precision = effect([made("1", found="a", noise="no"), unjudged], "n").precision
    # 1/3 alone, then 1/2 and 1; only the first has both.
    assert (precision.before, precision.after, precision.conversations) == (1 / 3, 0.75, 1)
    assert precision.difference == pytest.approx(1 / 6)
