import json

import pytest

from tellapart.errors import InputError
from tellapart.longcontext.case import AnswerKey, Expected
from tellapart.longcontext.grades import Grade, GradedProbe
from tellapart.longcontext.grading_record import grading_record
from tellapart.longcontext.reading.grades import read_grades
from tellapart.longcontext.results import GRADES_FILE
from tellapart.longcontext.transcript import PlayedStep
from tellapart.store import RunPlan


def probe(step, *grades, expected=None):
    played = PlayedStep(step, "checkpoint", "Dilution", "How many?", "many")
    return GradedProbe("m", "c", 1, played, expected, grades)


def judged(*categories):
    return [Grade(one, "why", grader="judge", judging=i) for i, one in enumerate(categories)]


def said(found):
    return [(one.grade.category, one.grade.grader, [grade.judging for grade in one.grades]) for one in found]


PROBES = [
    probe("C1", Grade("PARTIAL", "why", "detail")),
    # The second asking counts; the rules stand beside.
    probe("C2", *[judged("CORRECT", "PARTIAL")[i] for i in (1, 0)], Grade("CONFUSED", "")),
    probe("C3", Grade("ERROR", "", missing="budget"), expected=Expected("C3", rule="sink")),
]


@pytest.mark.parametrize("as_run", [True, False])
def test_our_own_record_is_read_back(tmp_path, as_run):
    record = grading_record([], [], PROBES, key=AnswerKey({})).model_dump()
    if as_run:
        with RunPlan("longcontext", {}, {}, seed=1, out=tmp_path / "run").writing() as run:
            run.write_json(GRADES_FILE, record)
        found = read_grades(tmp_path / "run")
    else:
        (tmp_path / "grades.json").write_text(json.dumps(record))
        found = read_grades(tmp_path / "grades.json")
    assert [(one.model, one.case, one.epoch, one.step.id) for one in found] == [
        ("m", "c", 1, step) for step in ("C1", "C2", "C3")
    ]
    assert said(found) == [("PARTIAL", "rules", [0]), ("PARTIAL", "judge", [1, 0]), ("ERROR", "rules", [0])]
    assert (found[0].step.failure_mode, found[0].step.user_message) == ("Dilution", "How many?")
    assert [one.expected.rule for one in found] == ["facts", "facts", "sink"]
    assert found[2].grade.missing == "budget"


def test_what_grade_prints_is_read_too(tmp_path):
    row = {"stepId": "V1-1", "failureMode": "Recall", "score": "CORRECT", "grader": "judge"}
    path = tmp_path / "printed.json"
    path.write_text(json.dumps({"cases": {"a": [row, {**row, "stepId": "V1-2", "model": "n", "epoch": 2}]}}))
    found = read_grades(path)
    assert [(one.model, one.case, one.epoch, one.step.id, one.step.type) for one in found] == [
        ("", "a", 0, "V1-1", "verification"),
        ("n", "a", 2, "V1-2", "verification"),
    ]
    assert said(found) == [("CORRECT", "judge", [0])] * 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", ":1:2: this is not JSON"),
        ("[]", ": there are no grades in it. Name a run directory of 'tellapart longcontext grade'"),
        ('{"cases": [{"steps": []}]}', ": there are no grades in it."),
        ('{"cases": {"c": [{"score": "PASS"}]}}', ": grade 1: it has no step"),
        (
            '{"cases": {"c": [{"stepId": "V1", "score": "PAS"}]}}',
            ": grade 1: the category 'PAS' is not known. Did",
        ),
        ('{"cases": {"c": [{"stepId": "V1", "score": 1.0}]}}', ": grade 1: the category 1.0 is not known."),
        ('{"cases": {"c": [{"stepId": "V1", "score": []}]}}', ": grade 1: the category [] is not known."),
    ],
)
def test_what_are_no_grades_is_refused(tmp_path, text, told):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_grades(path)
    assert str(error.value).removeprefix(str(path)).startswith(told)
