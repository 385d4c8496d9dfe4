import pytest

from codesearch.explored_cases import case
from tellapart.codesearch.metrics.conversation import recall
from tellapart.codesearch.metrics.paired_cases import (
    compare_scores,
    joint_scores,
    pair_figures,
    share_cases,
)
from tellapart.core.score_notes import ScoreNotes


def test_conversations_are_paired_by_id_and_what_is_on_one_side_is_counted():
    shared = share_cases(
        [case("b", "a", "a"), case("a", "b", "b"), case("z", "", "")],
        [case("a", "c", "c"), case("b", "a", "")],
    )
    assert [[one.conversation.id for one in cases] for cases in shared.lists] == [["a", "b"], ["a", "b"]]
    assert (len(shared), shared.left_out) == (2, (1, 0))
    # b has the same ground truth in both, a has not.
    assert [a.ground_truth == b.ground_truth for a, b in shared.conversations] == [False, True]
    assert shared.areas_of_other_truth == ("uncertain",)


def test_three_lists_share_what_all_of_them_have():
    shared = share_cases(*([case(n, "a", "a") for n in ids] for ids in ("abc", "bcd", "cb")))
    assert [one.conversation.id for one in shared.lists[0]] == ["b", "c"]
    assert shared.left_out == (1, 1, 0)


def test_no_conversation_in_common():
    shared = share_cases([case("a", "", "")], [])
    assert (len(shared), shared.areas, shared.same_explorers) == (0, (), True)


def test_explorers_of_each_list():
    shared = share_cases([case("a", "x", "x", names=("ax", "bx"))], [case("a", "x", "x", names=("bx", "bx"))])
    assert [(each.run_a, each.run_b) for each in shared.explorers] == [("ax", "bx"), ("bx", "bx")]
    assert not shared.same_explorers


def test_scores_are_of_shared_conversations_in_the_areas_of_the_last_list():
    before = [case(n, "ab", "ab", "a", area="old") for n in range(6)] + [case("more", "ab", "ab", "a")]
    now = [case(n, "ab", "ab", "ab", area="xy"[n % 2]) for n in range(6)]
    shared = share_cases(before, now)
    measured = [[recall(one) for one in cases] for cases in shared.lists]
    compared = compare_scores(joint_scores(("before", "now"), shared.lists, measured))
    (pair,) = compared.primary.pairs
    assert (pair.n, pair.of("now")[0]) == (6, 0.5)
    assert [(one.stratum, one.n) for one in compared.secondary.pairs] == [("x", 3), ("y", 3)]


def test_areas_are_what_scores_are_broken_down_by_where_there_are_several():
    for areas, by in (("xx", None), ("xy", "product_area")):
        cases = [case(n, "ab", "ab", "a", area=area) for n, area in enumerate(areas)]
        measured = [[recall(one) for one in cases]]
        scores = joint_scores(["now"], [cases], measured, ScoreNotes(by="other", cautions=("Few.",)))
        assert (scores.notes.by, scores.notes.cautions) == (by, ("Few.",))
        assert joint_scores(["now"], [cases], measured).notes.by == by


def test_figures_of_the_same_conversations():
    figures = pair_figures([0.5, None, 1.0], [0.25, 0.5, 0.0], [(0.25, 0.25), (-0.5, 0.5), (1.0, 1.0)])
    assert (figures.n, figures.means, figures.difference) == (2, (0.75, 0.125), 0.625)
    assert (figures.bounds, figures.bounded) == ((0.25, pytest.approx(1.75 / 3)), 3)
    assert (figures.is_certain, figures.sign) == (False, 1)
    # Of the four ways to flip two signs, two are as far from 0.
    assert figures.test().p == 0.5


def test_who_is_ahead_by_the_bounds():
    def by(*bounds):
        figures = pair_figures([], [], bounds)
        return figures.sign, figures.is_certain

    assert by((0.1, 0.2)) == (1, False)
    assert by((-0.2, -0.2)) == (-1, True)
    assert by((-0.2, 0.2)) == (0, False)
    # A difference that is rounding is none.
    assert by((1e-13, 1e-13)) == (0, True)
    assert by() == by((None, None)) == (0, False)
