"""Shares and signs, against the example rows of the source document."""

import pytest

from longcontext.page.graded_record import record, typed, typed_probe
from tellapart.longcontext.page import scores


def graded(*categories, **changes):
    missing = {"ERROR": "provider", "EVAL_ERROR": "judge"}
    return [
        typed_probe(
            "c", "V1", None, name, "How many?", "Seven.", "Eight.", missing=missing.get(name), **changes
        )
        for name in categories
    ]


WRONG = ("HALLUCINATED", "CONFUSED", "REFUSED", "FAIL", "PARTIAL", "RECENCY_BIAS_DETECTED")


@pytest.mark.parametrize(
    ("right", "of", "said", "sign"),
    [
        # The document's rows: 3/4 CORRECT + 1 PASS is all right, 2/3 and 4/7 are not, 1/7 and 2/6 are bad.
        (2, 3, "2/3 CORRECT", "⚠️"),
        (4, 7, "4/7 CORRECT", "⚠️"),
        (1, 7, "1/7 CORRECT", "❌"),
        (2, 6, "2/6 CORRECT", "❌"),
        (6, 10, "6/10 CORRECT", "⚠️"),
        (3, 13, "3/13 CORRECT", "❌"),
        (1, 2, "1/2 CORRECT", "⚠️"),
        (0, 1, "0/1 CORRECT", "❌"),
        (5, 5, "5/5 CORRECT", "✅"),
    ],
)
def test_the_documents_rows(right, of, said, sign):
    probes = graded(*["CORRECT"] * right, *(WRONG * 3)[: of - right])
    assert scores.share(probes) == said
    assert scores.sign(probes) == sign


def test_what_is_right_without_being_called_correct_is_counted_beside_it():
    probes = graded("CORRECT", "CORRECT", "CORRECT", "PASS")
    assert scores.share(probes) == "3/4 CORRECT + 1 PASS"
    assert scores.sign(probes) == "✅"
    assert scores.share(graded("NO_BIAS", "PASS", "FAIL")) == "0/3 CORRECT + 1 NO_BIAS + 1 PASS"


def test_of_nothing_there_is_no_sign():
    assert scores.share([]) == "0/0"
    assert scores.sign([]) == "–"
    assert scores.mean([]) is None
    assert scores.bounds([]) is None


def test_missing_is_not_wrong():
    probes = graded("CORRECT", "ERROR", "PARTIAL", "EVAL_ERROR")
    assert scores.share(probes) == "1/4 CORRECT (2 missing)"
    # One right of four at worst, three at best: less than half, or more.
    assert scores.sign(probes) == "–"
    assert scores.mean(probes) == 0.75
    assert scores.bounds(probes) == (0.375, 0.875)
    assert scores.causes(probes) == "judge 1, provider 1"


def test_a_sign_that_missing_grades_cannot_change_is_shown():
    assert scores.sign(graded("EVAL_ERROR", "FAIL", "FAIL", "FAIL")) == "❌"
    assert scores.sign(graded("CORRECT", "CORRECT", "FAIL", "ERROR")) == "⚠️"
    assert scores.sign(graded("CORRECT", "ERROR")) == "–"


def test_an_enumeration_says_how_many_it_got():
    (one,) = graded("PARTIAL", correct=7, of=25)
    assert scores.grade(one) == "7/25 correct"
    (lost,) = graded("ERROR", correct=0, of=25)
    assert scores.grade(lost) == "ERROR"


def test_grades_over_epochs_are_shares_with_the_most_frequent_first():
    assert scores.grades(graded("CORRECT")) == "CORRECT"
    assert scores.grades(graded("CORRECT", "CORRECT")) == "CORRECT 2/2"
    assert scores.grades(graded("PARTIAL", "CORRECT", "CORRECT")) == "CORRECT 2/3, PARTIAL 1/3"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "anthropic/claude-sonnet-4-5-20250929",
            "Claude Sonnet 4.5 (anthropic/claude-sonnet-4-5-20250929)",
        ),
        ("anthropic/claude-opus-4-1", "Claude Opus 4.1 (anthropic/claude-opus-4-1)"),
        ("openai/gpt-4.1", "openai/gpt-4.1"),
        (None, "a judge whose name is not recorded"),
    ],
)
def test_judges_are_named_as_people_do(name, said):
    assert scores.judge_name(name) == said
    for grader, words in (
        ("judge", said),
        ("both", f"{said}, compared with rules"),
        ("rules", "rules, no model"),
    ):
        assert scores.grader(typed(record([], [], grader=grader, judge=name))) == words


def test_a_measured_score_stands_beside_its_category():
    (probe,) = graded("PARTIAL", value=0.731)
    assert scores.grade(probe) == "PARTIAL 0.73"
    assert scores.grade(graded("PARTIAL", value=0.5)[0]) == "PARTIAL"
