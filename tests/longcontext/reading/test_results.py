import json
from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.longcontext.reading import read_results
from tellapart.longcontext.transcript import RESULTS_FILE
from tellapart.store import RunPlan

REAL = Path(__file__).parents[1] / "fixtures"
STEP = {"stepId": "V1-1", "stepType": "verification", "userMessage": "q", "assistantResponse": "a"}


def results_of(tmp_path, data, name="mine.json"):
    path = tmp_path / name
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return read_results(path)


def snake(value):
    if isinstance(value, list):
        return [snake(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {"".join(f"_{c.lower()}" if c.isupper() else c for c in key): snake(v) for key, v in value.items()}


@pytest.mark.parametrize("name", ["case_1_smoke_result", "experiment-results-http402"])
def test_snake_case_is_the_same_at_every_level(tmp_path, name):
    real = json.loads((REAL / f"{name}.json").read_text())
    found, expected = (results_of(tmp_path, snake(real), f"{name}.json"), read_results(REAL / f"{name}.json"))
    for of in ("cases", "generated_at", "notes"):
        assert getattr(found, of) == getattr(expected, of)


def step_with(**changes):
    return {"cases": [{"caseName": "c", "steps": [STEP | changes]}]}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (" ", ": this file is empty, expected results."),
        ("V1-1 (x):\n  A: y", ": these are answers, expected results. Answers are given with --answers."),
        ('[{"steps": [{} {}]}]', "this is not JSON: Expecting ',' delimiter"),
        ({"probes": [], "findings": []}, "this is what 'grade' records, expected the results"),
        ([], "this is [], expected an object with a list 'cases' and a case in it. Results are an object"),
        ({"cases": "x"}, "this is {'cases': 'x'}, expected an object with a list 'cases'"),
        ({"cases": [{"caseName": "c", "steps": 7}]}, "'cases[0].steps' is 7, expected a list."),
        ({"cases": [{"steps": [STEP], "notAsked": [{}]}]}, "'cases[0].notAsked[0].stepId' is missing"),
        (step_with(usage={"promptTokens": "many"}), "usage.promptTokens' is 'many', expected a whole"),
        (step_with(cause="refused"), "is 'refused', which is no known cause. Did you mean 'refusal'?"),
        ({"cases": [{"caseName": "c", "steps": [STEP, STEP]}]}, "c has two steps 'V1-1'. Give each an id of"),
        ({"cases": [{"steps": [{"stepId": "V1-1", "response": "a"}]}]}, "which has a 'response', expected '"),
        (step_with(stepId="V" + 100 * "1"), f"is 'V{58 * '1'}…, expected a text of at most 100 characters"),
        (step_with(stepType="question"), "steps[0].stepType' is 'question', expected 'message', "),
    ],
)
def test_what_are_no_results_is_refused(tmp_path, data, told):
    with pytest.raises(InputError) as error:
        results_of(tmp_path, data)
    assert told in str(error.value)


def test_the_same_case_twice_needs_epochs(tmp_path):
    case = {"caseName": "c", "steps": [STEP]}
    with pytest.raises(InputError, match=r"the case 'c' of 'mine' is here 2 times with the same epoch, 0"):
        results_of(tmp_path, {"cases": [case, case]})
    for further in ({"epoch": 1}, {"model": "other"}, {"control": "oracle"}):
        assert len(results_of(tmp_path, {"cases": [case, {**case, **further}]}).cases) == 2


def test_a_run_directory_is_read_by_its_results(tmp_path):
    def run(name, suite="longcontext"):
        with RunPlan(suite, {}, {}, seed=1, out=tmp_path / name).writing() as run:
            run.write_json(RESULTS_FILE, {"cases": [{"caseName": "c", "steps": [STEP]}]})
        return tmp_path / name

    found = read_results(run("mine"))
    assert (found.cases[0].model, found.source) == ("mine", str(tmp_path / "mine"))
    for name, told in (("nowhere", "nowhere: cannot read this file"), ("cut", "this run is not complete")):
        (tmp_path / "cut.partial").mkdir(exist_ok=True)
        with pytest.raises(InputError, match=told):
            read_results(tmp_path / name)
    with pytest.raises(InputError, match="this run directory of 'codesearch' holds no results"):
        read_results(run("other", "codesearch"))
