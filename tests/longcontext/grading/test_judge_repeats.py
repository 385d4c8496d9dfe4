"""Which asking counts, and how often a judge changes its mind."""

from itertools import permutations

import pytest

from longcontext.grading.judged_lines import conversation, played
from tellapart.longcontext.graders import counting_first
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.grading_record import judge_repeats
from tellapart.longcontext.probes import Probe


def judge_repeats_of(graded):
    return judge_repeats(graded).model_dump(mode="json")


def askings(*categories):
    return [Grade(category, str(i), "", "judge", judging=i) for i, category in enumerate(categories)]


def graded(*categories, case="a", rules=None):
    grades = counting_first(askings(*categories)) if categories else ()
    beside = (Grade(rules, "by rules"),) if rules else ()
    return Probe(conversation(played(), name=case), 0, played(), None, grades=(*grades, *beside))


@pytest.mark.parametrize(
    ("categories", "counts"),
    [
        (["PARTIAL", "CORRECT", "CORRECT"], "CORRECT"),
        # Of equals the one that is worth less.
        (["CORRECT", "REFUSED", "PARTIAL"], "REFUSED"),
        # Of those that are worth the same the one that the document has first.
        (["REFUSED", "CONFUSED", "HALLUCINATED"], "HALLUCINATED"),
        # What is no evaluation has no vote.
        (["EVAL_ERROR", "EVAL_ERROR", "CORRECT"], "CORRECT"),
        (["EVAL_ERROR", "EVAL_ERROR"], "EVAL_ERROR"),
    ],
)
def test_most_askings_count_in_whatever_order_they_came(categories, counts):
    for order in set(permutations(categories)):
        found = counting_first(askings(*order))
        assert found[0].category == counts
        assert found[0].judging == order.index(counts)
        rest = [grade.judging for grade in found[1:]]
        assert sorted([found[0].judging, *rest]) == list(range(len(order)))
        assert rest == sorted(rest)


def test_figures_by_hand():
    found = judge_repeats_of(
        [
            graded("CORRECT", "CORRECT", "CORRECT"),
            graded("CORRECT", "CORRECT", "PARTIAL"),
            graded("CORRECT", "PARTIAL", "CORRECT", "PARTIAL", case="b"),
            graded("EVAL_ERROR", "CORRECT", case="b"),
            graded(rules="PASS", case="b"),
        ]
    )
    assert found["probes_repeated"] == 3
    assert found["flip_rate"] == pytest.approx(2 / 3)
    low, high = found["flip_ci"]
    assert 0 < low < 2 / 3 < high < 1
