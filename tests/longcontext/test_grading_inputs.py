"""Results, answers and cases as a grading reads them, and what it tells of those that do not fit together."""

import json
from pathlib import Path

import pytest

from tellapart.errors import UsageError
from tellapart.longcontext.grade_run import read_grading_inputs

FIXTURES = Path(__file__).parent / "fixtures"
ANSWERS = FIXTURES / "answers.txt"


def results(path, *cases, **common):
    """Write results: of each case its name and what differs."""
    steps = [{"stepId": "V1-1", "userMessage": "What?", "assistantResponse": "37%"}]
    found = [{"caseName": name, "steps": steps, **common, **more} for name, more in cases]
    path.write_text(json.dumps({"cases": found}))
    return path


def test_a_model_that_results_do_not_name_is_called_as_the_file_is(tmp_path):
    one = results(tmp_path / "one.json", ("a", {}))
    named = results(tmp_path / "named.json", ("b", {}), model="m")
    assert [case.model for case in read_grading_inputs([one, named], ANSWERS).played] == ["one", "m"]


def test_one_attempt_of_a_model_in_two_files_is_refused(tmp_path):
    one = results(tmp_path / "one.json", ("a", {}), ("b", {}), model="m")
    two = results(tmp_path / "two.json", ("a", {}), model="m", startedAt=5)
    with pytest.raises(UsageError, match=r"two\.json: a of m, epoch 0, is also in .*one\.json"):
        read_grading_inputs([one, two], ANSWERS)
    second = results(tmp_path / "two.json", ("a", {"epoch": 1}), model="m")
    other = results(tmp_path / "other.json", ("a", {}), model="n")
    assert len(read_grading_inputs([one, second, other], ANSWERS).played) == 4
