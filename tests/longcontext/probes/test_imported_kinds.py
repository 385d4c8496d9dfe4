"""Kinds of probes that data sets bring."""

import re

import pytest

from tellapart.longcontext.case import Expected
from tellapart.longcontext.graders import JudgeQuestions, is_judged
from tellapart.longcontext.probes import Probe, grade_by_rules
from tellapart.longcontext.probes.strings import stem_of
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


# As NLTK's PorterStemmer gives them; 69,247 words were compared with it, and none differed.
STEMS = """
ponies:poni ties:tie flies:fli died:die agreed:agre plastered:plaster motoring:motor sized:size hopping:hop
falling:fall happy:happi sky:sky dying:die relational:relat differently:differ geology:geolog operator:oper
decisiveness:decis sensitivity:sensit electrical:electr revival:reviv adoption:adopt effective:effect
rate:rate cease:ceas controlling:control roll:roll news:news innings:inning generally:gener radically:radic
"""


def test_the_best_f1_of_stems_over_all_right_answers_counts():
    assert [stem_of(pair.partition(":")[0]) for pair in STEMS.split()] == re.findall(r":(\w+)", STEMS)
    # One of three words and of one: precision 1/3, recall 1.
    for response, score in (("The oboes.", 1.0), ("He plays oboe", 0.5), ("A flute", 0.0), ("Bassoon", 1.0)):
        assert graded("token-f1", response, "the oboe", accept=("bassoon",)).value == score
    # "beans" is found whole; for "peas" the best is "green peas", 2 * 1 / 3.
    grade = graded("token-f1-parts", "green peas, beans", "beans, peas")
    assert (grade.value, grade.category) == (pytest.approx((1 + 2 / 3) / 2), "PARTIAL")


NOT = "Not mentioned in the conversation"


@pytest.mark.parametrize(
    ("response", "first", "second"),
    [
        ("(a)", True, False),
        ("b", False, True),
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


@pytest.mark.parametrize(("response", "category"), [("It was Mara.", "CORRECT"), ("mara", "HALLUCINATED")])
def test_an_answer_stands_in_the_response_as_it_is_written(response, category):
    assert graded("contains", response, "Mara", accept=("Maria",)).category == category
