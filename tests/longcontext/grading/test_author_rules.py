"""What a key says of how a response is compared with it."""

import pytest

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grading.graders import grade_by_rules
from tellapart.longcontext.transcript import PlayedStep


def graded(response, answer=None, question="How far is it?", **more):
    step = PlayedStep("V1", "verification", None, question, response)
    return grade_by_rules(
        step, Expected("V1", answer, **more), ["It is 2.5 km to the lake and 4 km to the mill."]
    )


@pytest.mark.parametrize(
    ("response", "more", "category"),
    [
        ("4 km", {"answer": "2.5 km", "accept": ("4,000 m",)}, "CORRECT"),
        ("The quay.", {"answer": "The pier.", "accept": ("the quay",)}, "EVAL_ERROR"),
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
    ("answer", "response", "category"),
    [
        ("correct-horse-9", "It is correct-horse-9.", "CORRECT"),
        ("correct-horse-9", "It is battery-horse-7.", "HALLUCINATED"),
        ("Right knee", "The left knee.", "EVAL_ERROR"),
        ("No, it is not far.", "No.", "CORRECT"),
        ("Yes, it is", "No.", "HALLUCINATED"),
    ],
)
def test_a_name_may_begin_with_a_word_for_yes_or_no(answer, response, category):
    question = "Is it far?" if "it is" in answer else "What is it?"
    assert graded(response, answer, question).category == category
