from dataclasses import replace

import pytest

from codesearch.explored_cases import case
from codesearch.judged_cases import judged, with_failure
from codesearch.recorded_cases import recorded_cases
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.metrics.score_tables import MEASURES, default_measure, score_table_rows
from tellapart.codesearch.model import Gold
from tellapart.core.scores import ScoreTable


def rows(cases, measure):
    frame = score_table_rows(cases, system="mine", measure=measure)
    return frame.select("item", "score", "missing").rows()


def test_a_row_a_conversation():
    cases = [judged(2, "ab", "", "ac", no="c", area="x"), judged(1, "a", "", "a", area="y")]
    frame = score_table_rows(cases, system="mine", measure="precision")
    assert frame.select("model", "item", "score", "missing", "product_area", "low", "high").rows() == [
        ("mine", "1", 1.0, None, "y", 1.0, 1.0),
        ("mine", "2", 0.5, None, "x", 0.5, 0.5),
    ]
    table = ScoreTable.from_frame(frame)
    assert (table.models, table.strata, table.limits) == (["mine"], ["product_area"], (0.0, 1.0))
    assert score_table_rows(cases[::-1], system="mine", measure="precision").equals(frame)


def test_why_a_score_is_missing():
    cases = [
        case(1, "a", "", ""),
        with_failure(judged(2, None, None, "ab", yes="a", no="b"), "run_a", "budget"),
        case(3, "a", "", "ab"),
        judged(4, "ab", "", "abc", failed="c"),
        judged(5, "", "", "ab", no="ab"),
    ]
    assert rows(cases, "precision") == [
        ("1", None, "infeasible"),
        ("2", 0.5, None),
        ("3", None, "judge"),
        ("4", None, "judge"),
        ("5", 0.0, None),
    ]
    assert rows(cases, "recall") == [
        ("1", 0.0, None),
        ("2", None, "budget"),
        ("3", None, "judge"),
        ("4", None, "judge"),
        ("5", None, "infeasible"),
    ]
    causes = [cause for _, _, cause in rows(cases, "recall_union")]
    assert causes == [None, "budget", None, None, "infeasible"]
    for measure in MEASURES:
        ScoreTable.from_frame(score_table_rows(cases, system="mine", measure=measure))


def test_the_default_needs_verdicts_only_where_there_are_some():
    def chosen(*lists, **facts):
        return default_measure([Evaluation(1, None, tuple(cases), facts=facts) for cases in lists])

    some, none = [judged(1, "a", "", "ab", yes="b"), case(2, "a", "", "ac")], [case(1, "a", "", "ab")]
    assert chosen(some) == "f1"
    assert chosen(none) == chosen(some, none) == "f1_union"
    assert chosen([judged(1, "a", "", "ab", failed="b")]) == "f1_union"
    assert chosen([case(1, "ab", "", "ab")]) == "f1"
    assert chosen(recorded_cases()) == "f1"
    # Gold, where all have it, whoever was judged.
    gold = [replace(one, gold=Gold(("repo/a",))) for one in some]
    assert chosen(gold) == chosen(gold, gold) == "gold_recall_at_10"
    assert (chosen(gold, some), chosen(gold, unranked=True)) == ("f1", "gold_f1")
    left_out = [replace(one, gold=Gold((), left_out={"test": 1})) for one in some]
    assert chosen(gold, left_out) == "f1"


def test_a_conversation_without_gold_that_counts_is_no_item_of_gold():
    golds = [Gold(("repo/b",)), Gold((), left_out={"test": 1}), Gold((), absent=("repo/gone",)), None]
    cases = [replace(case(n, "a", "", "ab"), gold=gold) for n, gold in enumerate(golds)]
    assert rows(cases, "gold_recall_at_10") == [("0", 1.0, None), ("2", None, "infeasible")]
    # b is one of two files that were found, and all of gold.
    assert rows(cases, "gold_f1")[0] == ("0", pytest.approx(2 / 3), None)
