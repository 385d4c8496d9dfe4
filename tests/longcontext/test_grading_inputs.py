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


def epochs(found):
    return [(case.model, case.name, case.epoch) for case in found.played]


def test_a_model_that_results_do_not_name_is_called_as_the_file_is(tmp_path):
    one = results(tmp_path / "one.json", ("a", {}))
    named = results(tmp_path / "named.json", ("b", {}), model="m")
    assert [case.model for case in read_grading_inputs([one, named], ANSWERS).played] == ["one", "m"]


def test_the_same_model_in_two_files_has_epochs_that_do_not_clash(tmp_path):
    one = results(tmp_path / "one.json", ("a", {}), ("b", {}), model="m")
    two = results(tmp_path / "two.json", ("a", {"epoch": 0}), ("a", {"epoch": 1}), model="m", startedAt=5)
    other = results(tmp_path / "other.json", ("a", {}), model="n")
    found = read_grading_inputs([one, two, other], ANSWERS)
    assert epochs(found) == [("m", "a", 0), ("m", "b", 0), ("m", "a", 1), ("m", "a", 2), ("n", "a", 0)]
    told = [note for note in found.notes if "counts as epoch" in note]
    assert len(told) == 2
    assert told[0].startswith(f"{two}: a of m counts as epoch 1, since an earlier file has its epoch 0")


def test_the_same_results_twice_would_count_twice(tmp_path):
    one = results(tmp_path / "one.json", ("a", {}), model="m")
    two = results(tmp_path / "two.json", ("a", {}), model="m")
    with pytest.raises(UsageError, match=r"two\.json: these results are those of .*one\.json again"):
        read_grading_inputs([one, two], ANSWERS)
