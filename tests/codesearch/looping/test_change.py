import numpy as np
import pytest
from scipy import stats

from codesearch.explored_cases import case
from codesearch.looping.made_iterations import iteration
from tellapart.codesearch.looping.change import Change, change, common, names_of, on_one_truth


def test_only_conversations_that_have_it_in_both_count():
    found = change({"a": 0.5, "b": None, "c": 1.0, "d": 0.1}, {"a": 0.75, "b": 1.0, "c": 0.5, "e": 0.9})
    # a: +.25, c: -.5.
    assert (found.before, found.after, found.n) == (0.75, 0.625, 2)
    assert found.difference == -0.125


def test_the_interval_is_that_of_paired_differences_and_p_that_of_flipped_signs():
    before = {str(i): v for i, v in enumerate([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])}
    after = {str(i): v for i, v in enumerate([0.3, 0.3, 0.5, 0.8, 0.6, 0.9])}
    found = change(before, after)
    gaps = np.array(list(after.values())) - np.array(list(before.values()))
    low, high = stats.ttest_1samp(gaps, 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((low, high))
    # All six differences point one way: 2 of 2^6 flips are as far out.
    assert found.p == 2 / 64
    assert found.beyond_chance is True


def test_five_conversations_are_too_few_to_tell_and_six_are_not():
    found = change(dict.fromkeys("abcde", 0.0), dict.fromkeys("abcde", 1.0))
    assert found.p == 2 / 32
    assert found.beyond_chance is None
    assert (found.low, found.high) == (None, None)
    six = change(dict.fromkeys("abcdef", 0.0), dict.fromkeys("abcdef", 1.0))
    assert (six.p, six.beyond_chance) == (2 / 64, True)


def test_one_conversation_has_no_p_and_none_has_nothing():
    assert change({"a": 0.0}, {"a": 1.0}) == Change(0.0, 1.0, 1.0, None, None, None, 1)
    assert change({"a": 0.0}, {"b": 1.0}) == Change(None, None, None, None, None, None, 0)
    assert change({"a": 0.0}, {"a": 1.0}).beyond_chance is None


def test_no_change_is_not_beyond_chance():
    assert change({"a": 0.2, "b": 0.4}, {"a": 0.2, "b": 0.4}).p == 1


def test_measures_without_verdicts_where_one_iteration_was_not_judged():
    judged = iteration(1, case(1, "a", "b", "ax", judged="x"))
    unjudged = iteration(2, case(1, "a", "b", "ax"))
    nothing_to_judge = iteration(3, case(1, "a", "b", "a"))
    assert names_of(judged, nothing_to_judge) == ("precision", "recall")
    assert names_of(judged, unjudged) == ("precision_union", "recall_union")
    assert names_of(unjudged) == ("precision_union", "recall_union")
    # Nothing needs a verdict here; whether there is a judge is seen from other iterations.
    assert names_of(nothing_to_judge) == ("precision_union", "recall_union")
    assert names_of(nothing_to_judge, among=[judged]) == ("precision", "recall")


def test_conversations_in_common_are_paired_by_id():
    pairs = common(
        iteration(1, case("b", "a", "a"), case("a", "b", "b"), case("z", "", "")),
        iteration(2, case("a", "c", "c"), case("b", "d", "d")),
    )
    assert [(old.conversation.id, new.conversation.id) for old, new in pairs] == [("a", "a"), ("b", "b")]


def test_one_ground_truth_takes_out_what_the_explorations_changed():
    # The system returns the same; only the explorations differ, so its own figures move but this does not.
    still = common(iteration(1, case(1, "ab", "c", "ax")), iteration(2, case(1, "yz", "a", "ax")))
    found = on_one_truth(still, judged=False)
    # Truth a, b, c, y, z; ours a, x: one of two, one of five, before and after.
    assert (found["precision"].before, found["precision"].after) == (0.5, 0.5)
    assert (found["recall"].before, found["recall"].after) == (0.2, 0.2)


def test_verdicts_of_either_iteration_join_the_one_truth():
    pairs = common(
        iteration(1, case(1, "a", "b", "ap", judged="p")), iteration(2, case(1, "a", "b", "apq", judged="q"))
    )
    found = on_one_truth(pairs, judged=True)
    # Truth a, b, p, q. Before a, p: 2 of 2 and of 4; after a, p, q: 3 of 3 and of 4.
    assert (found["precision"].before, found["precision"].after) == (1, 1)
    assert (found["recall"].before, found["recall"].after) == (2 / 4, 3 / 4)
    without = on_one_truth(pairs, judged=False)
    # Truth a, b.
    assert (without["precision"].before, without["precision"].after) == (1 / 2, 1 / 3)


def test_nothing_found_has_no_precision_and_no_truth_has_no_recall():
    found = on_one_truth([(case(1, "a", "b", ""), case(1, "a", "b", "a"))], judged=False)
    assert (found["precision"].n, found["recall"].n) == (0, 1)
    found = on_one_truth([(case(1, "", "", "a"), case(1, "", "", "a"))], judged=False)
    assert (found["precision"].n, found["recall"].n) == (1, 0)
