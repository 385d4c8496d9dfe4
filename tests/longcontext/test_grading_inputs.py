"""Results, answers and cases as a grading reads them, and what it tells of those that do not fit together."""

import json
from pathlib import Path

import pytest

from tellapart.errors import UsageError
from tellapart.longcontext.grade_run import read_grading_inputs

FIXTURES = Path(__file__).parent / "fixtures"
ANSWERS = FIXTURES / "answers.txt"
SMOKE = FIXTURES / "case_1_smoke_result.json"
CASE = FIXTURES / "case_1_short.txt"


def results(path, *cases, **common):
    """Write results: of each case its name and what differs."""
    steps = [{"stepId": "V1-1", "userMessage": "What?", "assistantResponse": "37%"}]
    found = [{"caseName": name, "steps": steps, **common, **more} for name, more in cases]
    path.write_text(json.dumps({"cases": found}))
    return path


def epochs(found):
    return [(case.model, case.name, case.epoch) for case in found.played]


def test_a_model_that_results_do_not_name_gets_the_name_that_is_given(tmp_path):
    one = results(tmp_path / "one.json", ("a", {}))
    two = results(tmp_path / "two.json", ("a", {}), startedAt=5)
    named = results(tmp_path / "named.json", ("b", {}), model="m")

    def models(files, *names):
        return [case.model for case in read_grading_inputs(files, ANSWERS, names=names).played]

    assert models([one, two, named]) == ["one", "two", "m"]
    assert models([one, two, named], "x") == ["x", "x", "m"]
    assert models([one, two], "x", "y") == ["x", "y"]
    for files, names, why in (
        ([one, two, named], ("x", "y"), "2 names are given for 3 file.s. of results"),
        ([named], ("x",), "name their models themselves, so this has no effect: --name x"),
    ):
        with pytest.raises(UsageError, match=why):
            models(files, *names)
    unnamed, again = (read_grading_inputs([one], ANSWERS, names=names) for names in ((), ("x",)))
    assert unnamed.inputs != again.inputs


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


def test_without_any_answer_nothing_can_be_graded():
    with pytest.raises(UsageError, match="no right answers are given"):
        read_grading_inputs([SMOKE], None, [CASE])


def test_answers_may_stand_in_the_case(tmp_path):
    case = tmp_path / "a.yaml"
    case.write_text(
        "name: a\nsteps:\n- {message: M1, text: It rose by 37%.}\n"
        "- {verification: V1-1, text: What?, failure_mode: Recall, expected: 37%}\n"
    )
    found = read_grading_inputs([results(tmp_path / "one.json", ("a", {}))], None, [case])
    assert found.key.expected("a", "V1-1").answer == "37%"
    assert found.answers is None
    assert found.notes == ()
