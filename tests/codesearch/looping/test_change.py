from dataclasses import replace

import pytest

from codesearch.explored_cases import FAILED, case
from codesearch.looping.made_iterations import iteration
from tellapart.codesearch.looping.change import changes
from tellapart.codesearch.metrics.paired_cases import joint_scores_of
from tellapart.codesearch.model import JudgeVerdict
from tellapart.core.comparison import ALPHA, compare

LETTERS = "abcdefghij"


def recalled(number, **hits):
    """Conversations of which so many of ten files were found; None: the verdict failed that decides."""
    return iteration(
        number,
        *(
            case(name, LETTERS, LETTERS, LETTERS[:n])
            if n is not None
            else replace(
                case(name, LETTERS, LETTERS, "x"), verdicts={"repo/x": JudgeVerdict(None, failure=FAILED)}
            )
            for name, n in hits.items()
        ),
    )


def change(before, after, name="recall"):
    return changes(recalled(1, **before), recalled(2, **after), name).whole


def test_only_conversations_that_have_it_in_both_count():
    found = change({"a": 5, "c": 10, "d": 1}, {"a": 7, "b": 10, "c": 5, "e": 9})
    # a: +.2, c: -.5.
    assert (found.before, found.after, found.n) == (0.75, 0.6, 2)
    assert found.difference == pytest.approx(-0.15)
    assert (found.open, found.bounds) == (0, pytest.approx((-0.15, -0.15)))


def test_what_is_compared_is_what_the_audit_of_the_two_runs_compares():
    before = recalled(1, **{str(i): v for i, v in enumerate([1, 2, 3, 4, 5, 6, 4])})
    now = recalled(2, **{str(i): v for i, v in enumerate([3, 3, 5, 8, 6, 9, 4])})
    found = changes(before, now, "recall", alpha=ALPHA)
    names = ("iteration 1", "iteration 2")
    expected = compare(joint_scores_of(dict(zip(names, (before, now), strict=True)), "recall")).primary
    assert found.comparison.primary == expected
    (pair,) = expected.pairs
    assert (found.whole.difference, found.whole.p) == (-pair.difference, pair.p)
    assert found.whole.interval == (-pair.interval.high, -pair.interval.low)
    # Six differences point one way, one is 0: 2 of 2^6 flips are as far out.
    assert found.whole.p == 2 / 64
    assert (found.whole.verdict, found.whole.beyond_chance) == ("better", True)


def test_a_failed_verdict_leaves_bounds_and_no_change():
    found = change({"a": 9, "b": 5}, {"a": None, "b": 6})
    # b: +.1. a has 0 of 10, or x beside: 1 of 11.
    assert (found.n, found.open, found.difference) == (1, 1, pytest.approx(0.1))
    assert found.bounds == pytest.approx(((0.1 - 0.9) / 2, (0.1 + 1 / 11 - 0.9) / 2))
    # One that was missing before says nothing of what changed.
    assert change({"a": None, "b": 5}, {"a": 1, "b": 6}).open == 0
    # All of them: there is nothing to compare, and nothing is the worse for it.
    found = changes(recalled(1, a=9, b=9), recalled(2, a=None, b=None), "recall")
    assert (found.comparison, found.whole.n, found.whole.open) == (None, 0, 2)
    assert (found.whole.difference, found.whole.verdict) == (None, "not_separated")


def test_areas_are_those_of_the_later_iteration_and_one_family():
    before = iteration(1, *(case(n, LETTERS, LETTERS, "ab", area="old") for n in range(14)))
    now = iteration(
        2, *(case(n, LETTERS, LETTERS, "abcde"[: 5 - n % 3], area="xy"[n % 2]) for n in range(14))
    )
    found = changes(before, now, "recall_union")
    assert list(found.areas) == ["x", "y"]
    assert [change.n for change in found.areas.values()] == [7, 7]
    family = found.comparison.secondary.pairs
    assert [change.p_adjusted for change in found.areas.values()] == [pair.p_adjusted for pair in family]
