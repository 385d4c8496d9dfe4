"""Kinds of probes that data sets bring."""

import pytest

from tellapart.longcontext.case import Expected
from tellapart.longcontext.graders import JudgeQuestions, is_judged
from tellapart.longcontext.probes import Probe, grade_by_rules
from tellapart.longcontext.transcript import PlayedCase, PlayedStep


def probe(response, question="Which flag?"):
    return PlayedStep("V1", "verification", "some mode", question, response)


def graded(rule, response, answer=None, question="Which flag?", **more):
    return grade_by_rules(probe(response, question), Expected("V1", answer, rule=rule, **more), [])


def prompt(rule, answer, **more):
    step = probe("A blue one.")
    asked = Probe(PlayedCase("c", (step,)), 0, step, Expected("V1", answer, rule=rule, **more))
    (question,) = JudgeQuestions([asked])
    return question.prompt


def test_a_rubric_is_for_a_judge_alone():
    grade = graded("rubric", "Try a blue one.", "They like blue.")
    assert (grade.category, grade.value, grade.missing) == ("EVAL_ERROR", None, "rules cannot tell")
    step = probe("x")
    expected = Expected("V1", "They like blue.", rule="rubric")
    assert is_judged(Probe(PlayedCase("c", (step,)), 0, step, expected))


def test_the_judge_is_asked_what_fits_the_kind():
    abstention = prompt("abstention", "No flag was mentioned.", test="shows it")
    assert "WHY IT CANNOT BE ANSWERED:\n| No flag was mentioned." in abstention
    assert "TEST:\n| shows it" in abstention
    assert "- REFUSED" not in abstention
    assert "WHY IT" not in prompt("abstention", None)
    rubric = prompt("rubric", "They like blue.")
    assert "WHAT A GOOD ANSWER IS LIKE:\n| They like blue." in rubric
    assert "MODEL'S ACTUAL ANSWER:\n| A blue one." in rubric


@pytest.mark.parametrize(
    ("response", "score", "category"),
    [
        ("kX3abcd", 1.0, "CORRECT"),
        # Three of four letters on both sides: 2 * 3 / 8.
        ("kX3abcx", 0.75, "PARTIAL"),
        ("kX3", 0.0, "HALLUCINATED"),
        # Letter by letter right, but without what it had to begin with.
        ("abcd", 0.0, "HALLUCINATED"),
        ("I don't have that text.", 0.0, "REFUSED"),
    ],
)
def test_a_sequence_ratio_is_that_of_difflib_after_the_prefix(response, score, category):
    grade = graded("sequence-ratio", response, "kX3abcd", prefix="kX3")
    assert (grade.value, grade.category) == (pytest.approx(score), category)


def test_the_best_f1_of_words_over_all_right_answers_counts():
    # One of three words and of one: precision 1/3, recall 1.
    for response, score in (("The oboe.", 1.0), ("He plays oboe", 0.5), ("A flute", 0.0), ("Bassoon", 1.0)):
        assert graded("token-f1", response, "the oboe", accept=("bassoon",)).value == score


NOT = "Not mentioned in the conversation"


@pytest.mark.parametrize(
    ("response", "first", "second"),
    [
        ("(a)", True, False),
        ("b", False, True),
        ("(b)", False, True),
        ("It is not mentioned.", True, True),
        ("No information available", True, True),
        ("(a) The oboe", False, False),
    ],
)
def test_an_option_or_its_words_say_that_it_was_not_mentioned(response, first, second):
    """As published: a letter is its option, anything longer must have the words."""
    for question, right in ((f"Q? (a) {NOT} (b) The oboe", first), (f"Q? (a) The oboe (b) {NOT}", second)):
        grade = graded("not-mentioned", response, NOT, question=question)
        assert grade.category == ("CORRECT" if right else "HALLUCINATED"), question


@pytest.mark.parametrize(
    ("response", "category"),
    [
        ("It was Mara.", "CORRECT"),
        ("mara", "HALLUCINATED"),
        ("I cannot find that.", "REFUSED"),
    ],
)
def test_an_answer_stands_in_the_response_as_it_is_written(response, category):
    assert graded("contains", response, "Mara", accept=("Maria",)).category == category
