"""What a conversation that stopped early never came to, as results tell it."""

import json

import pytest

from tellapart.errors import InputError
from tellapart.longcontext.case import CaseStep
from tellapart.longcontext.reading import read_results

STEP = {"stepId": "M1", "userMessage": "Material.", "assistantResponse": None, "httpStatus": 402}


def read(tmp_path, case):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"cases": [case]}))
    return read_results(path)


def test_steps_that_were_not_reached(tmp_path):
    left = [
        {"stepId": "M2", "stepType": "message", "failureMode": None, "userMessage": "x"},
        {"stepId": "V1-1", "stepType": "verification", "failureMode": "Recall", "userMessage": "q"},
        "C1-1",
    ]
    case = {"caseName": "c", "steps": [STEP], "notAsked": left}
    found = read(tmp_path, case)
    assert found.cases[0].not_asked == (
        CaseStep("M2", "message", "x"),
        CaseStep("V1-1", "verification", "q", "Recall"),
        CaseStep("C1-1", "checkpoint", ""),
    )
    assert found.notes == ()


@pytest.mark.parametrize(
    ("left", "told"),
    [
        ("V1-1", "'cases[0].notAsked' is 'V1-1', expected a list"),
        ([{"userMessage": "nameless"}], "'cases[0].notAsked[0].stepId' is missing"),
        ([7], "'cases[0].notAsked[0].stepType' is missing"),
    ],
)
def test_a_step_that_was_not_reached_has_an_id(tmp_path, left, told):
    with pytest.raises(InputError) as error:
        read(tmp_path, {"caseName": "c", "steps": [STEP], "notAsked": left})
    assert told in str(error.value)
