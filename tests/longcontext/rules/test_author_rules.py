"""What a key says of how a response is compared with it."""

import pytest

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grading.graders import grade_by_rules, grade_where_rules_can
from tellapart.longcontext.transcript import PlayedStep


def graded(response, answer=None, question="How far is it?", **more):
    step = PlayedStep("V1", "verification", None, question, response)
    return grade_by_rules(
        step, Expected("V1", answer, **more), ["It is 2.5 km to the lake and 4 km to the mill."]
    )


@pytest.mark.parametrize(
    ("response", "more", "category"),
    [
        ("The quay.", {"answer": "The pier.", "accept": ("the quay",)}, "CORRECT"),
        ("Pier 6, in the north", {"required": ("pier 6", "north")}, "CORRECT"),
        ("Pier 6", {"required": ("pier 6", "north")}, "PARTIAL"),
        ("Pier 7", {"required": ("pier 6", "north")}, "HALLUCINATED"),
        ("I don't know.", {"required": ("pier 6",)}, "REFUSED"),
        ("blue.", {"answer": "Blue", "exact": True}, "CORRECT"),
        ("It is blue.", {"answer": "Blue", "exact": True}, "HALLUCINATED"),
        ("code 77-X", {"regex": r"\b77-[XY]\b"}, "CORRECT"),
        ("code 78-X", {"regex": r"\b77-[XY]\b"}, "HALLUCINATED"),
        ("2,500 m", {"answer": "2.5", "unit": "km"}, "CORRECT"),
        ("2.5 miles", {"answer": "2.5", "unit": "km"}, "HALLUCINATED"),
        ("2.6 km", {"answer": "2.5 km", "tolerance": "5 %"}, "CORRECT"),
        ("2,700 m", {"answer": "2.5 km", "tolerance": "0.1"}, "HALLUCINATED"),
        ("2,600 m", {"answer": "2.5 km", "tolerance": "0.1"}, "CORRECT"),
    ],
)
def test_what_the_key_says_decides(response, more, category):
    assert graded(response, **more).category == category


@pytest.mark.parametrize(
    ("response", "category"),
    [
        ("Between 40 and 50.", "PARTIAL"),
        ("Between 43 and 50.", "HALLUCINATED"),
    ],
)
def test_a_range_gives_a_number_roughly_where_it_lies_inside(response, category):
    assert graded(response, "42", "How many came?").category == category


def test_required_words_that_carry_no_meaning_are_compared_as_they_are():
    assert graded("To be or not to be", required=("to be or",)).category == "CORRECT"
    assert graded("To have and to hold", required=("to be or",)).category == "HALLUCINATED"


def test_what_is_said_beyond_the_question_is_listed_unless_the_key_is_strict():
    answer, question = "14:30 on Thursday, from pier 6.", "What time does the ferry leave?"
    grade = graded("At half past two.", answer, question)
    assert (grade.category, grade.coverage, grade.unasked) == ("CORRECT", 1.0, ("Thursday", "6"))
    grade = graded("At half past two.", answer, question, strict=True)
    assert (grade.category, grade.unasked) == ("PARTIAL", ())


@pytest.mark.parametrize(
    ("question", "response", "category"),
    [
        ("Who brings the boxes and who brings the tape?", "Marta the boxes, Jonas the tape", "CORRECT"),
        ("Who brings the boxes and who brings the tape?", "Jonas the boxes, Marta the tape", "CONFUSED"),
        (
            "What does Marta bring and what does Jonas bring?",
            "Jonas the boxes and Marta the tape.",
            "CONFUSED",
        ),
        (
            "What does Marta bring and what does Jonas bring?",
            "Tape is Jonas's job, Marta has boxes",
            "CORRECT",
        ),
        ("Who brings the boxes and what does Jonas bring?", "Boxes: Marta. Jonas: tape", "CORRECT"),
        ("Who brings the boxes and what does Jonas bring?", "Marta the boxes. Jonas nothing.", "EVAL_ERROR"),
    ],
)
def test_two_things_are_right_only_in_their_places(question, response, category):
    assert graded(response, "Marta brings the boxes, Jonas brings the tape.", question).category == category


def test_a_reason_is_left_to_a_judge():
    answer, question = "Because the sawmill went bankrupt.", "Why are the shelves late?"
    grade = graded("The sawmill went bankrupt.", answer, question)
    assert (grade.category, grade.missing, grade.coverage) == ("EVAL_ERROR", "rules cannot tell", 0.0)
    assert graded("I don't know.", answer, question).category == "REFUSED"
    step = PlayedStep("V1", "verification", None, question, "It is bankrupt.")
    assert grade_where_rules_can(step, Expected("V1", answer), []) is None


@pytest.mark.parametrize(
    ("question", "answer", "right", "wrong"),
    [
        ("When is it?", "June 12.", "On the 12th of June", "July 12"),
        ("When is it?", "Thursday at 14:30.", "Thu, 2:30 pm", "Tuesday at 14:30"),
        (
            "Which order is it, and from when?",
            "A-4417, on 3 March 2026.",
            "A4417, March 3",
            "A-9999, on 3 March 2026",
        ),
        ("How much was it?", "1.5 million dollars.", "$1.5M", "1.5 billion dollars"),
        ("Which version runs there?", "Python 3.10", "3.10", "Python 3.1"),
        ("Where is the file?", "/etc/acme/app.yaml", "In /etc/acme/app.yaml.", "/opt/acme/config.json"),
        ("Can I eat there?", "Yes, peanuts are kept apart.", "Yes.", "No."),
        (
            "How long does it run?",
            "January 2024 to December 2026",
            "Jan 2024 – Dec 2026",
            "Jan 2023 – Dec 2026",
        ),
    ],
)
def test_everyday_answers_that_were_graded_wrongly(question, answer, right, wrong):
    assert graded(right, answer, question).category == "CORRECT"
    assert graded(wrong, answer, question).category in ("HALLUCINATED", "PARTIAL")
