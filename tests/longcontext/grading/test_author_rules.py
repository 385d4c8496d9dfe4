"""What a key says of how a response is compared with it."""

import pytest

from tellapart.longcontext.case import Expected
from tellapart.longcontext.probes import grade_by_rules
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
        ("blue.", {"answer": "Blue", "exact": True}, "CORRECT"),
        ("It is blue.", {"answer": "Blue", "exact": True}, "HALLUCINATED"),
        ("code 77-X", {"regex": r"\b77-[XY]\b"}, "CORRECT"),
        ("code 78-X", {"regex": r"\b77-[XY]\b"}, "HALLUCINATED"),
    ],
)
def test_what_the_key_says_decides(response, more, category):
    assert graded(response, **more).category == category
