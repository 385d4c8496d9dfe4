"""What a conversation that stopped early never came to, as results tell it."""

import json

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
        {"step_id": "V1-1", "user_message": "again"},
        {"userMessage": "nameless"},
        7,
    ]
    case = {"caseName": "c", "steps": [STEP], "notAsked": left}
    found = read(tmp_path, case)
    assert found.cases[0].not_asked == (
        CaseStep("M2", "message", "x"),
        CaseStep("V1-1", "verification", "q", "Recall"),
        CaseStep("C1-1", "checkpoint", ""),
    )
    assert found.notes == (
        "step #5 of 'notAsked' of c, step #6 of 'notAsked' of c: left out, as it has no 'stepId'",
    )
    found = read(tmp_path, {**case, "notAsked": "V1-1"})
    assert (found.cases[0].not_asked, found.notes) == ((), ("c: 'notAsked' is not a list, and was left out",))
