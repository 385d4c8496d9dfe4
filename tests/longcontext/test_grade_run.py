"""Real runs, graded by rules and by a judge behind the wire; what is kept, resumed and taken over."""

import json
from pathlib import Path

import pytest

from longcontext.grading.judged_lines import lines, parts
from support.loopback import LoopbackServer
from tellapart.errors import UsageError
from tellapart.llm.budget import Limits
from tellapart.llm.journal import replayed
from tellapart.llm.models import LanguageModel
from tellapart.longcontext.grade_run import GradeSettings, grade_run, read_grading_inputs
from tellapart.longcontext.results import GRADES_FILE

FIXTURES = Path(__file__).parent / "fixtures"
ANSWERS, SMOKE = FIXTURES / "answers.txt", FIXTURES / "case_1_smoke_result.json"
REFUSED = FIXTURES / "experiment-results-http402.json"
CASES = [FIXTURES / f"case_{name}.txt" for name in ("1_short", "2_long", "3_overflow")]

# What a judge might say of the real run; the third answer leaves out what the key has.
SCRIPT = {
    "V1-1": lines("CORRECT", "The increase and the years match.", "37% between 2019 and 2023"),
    "V1-2": lines("CORRECT", "Name and institution match.", "Marcus Webb, Johns Hopkins"),
    "V1-3": lines("PARTIAL", "The follow-ups are not all named.", "3 months and 12 months"),
}


def scripted(request):
    return SCRIPT[parts(request.messages[0][1])["STEP ID"]]


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    for name in ("ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "INSPECT_EVAL_MODEL_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def by_judge(server, grader="judge", **more):
    model = LanguageModel("anthropic/m", base_url=server.base_url("anthropic"), first_wait_s=0, max_retries=0)
    return GradeSettings(grader, model, **{"delay_s": 0.0, "limits": Limits(max_connections=1), **more})


def record_of(run):
    return json.loads((run.path / GRADES_FILE).read_text())


def grades(run):
    return {probe["step_id"]: probe["category"] for probe in record_of(run)["probes"]}


def test_a_run_in_which_everything_was_refused_costs_no_call_and_needs_no_key(tmp_path, monkeypatch):
    files = read_grading_inputs([REFUSED], ANSWERS, CASES)
    with LoopbackServer(scripted) as server:
        run = grade_run(files, by_judge(server, "judge"), out=tmp_path / "run")
        assert server.requests == []
        assert server.connections == 0
    record = record_of(run)
    # One probe was asked; those of the two cases that ended before theirs are there as well: 4 and 10.
    assert len(record["probes"]) == 1 + 4 + 10
    assert {probe["category"] for probe in record["probes"]} == {"ERROR"}
    assert {probe["missing"] for probe in record["probes"]} == {"provider"}
    assert {probe["http_status"] for probe in record["probes"]} == {402}
    assert run.scores().frame["score"].null_count() == 15
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    grade_run(files, GradeSettings("judge", LanguageModel("anthropic/m")), out=tmp_path / "again")


def test_a_recording_and_an_earlier_run_answer_instead_of_the_judge(tmp_path):
    files = read_grading_inputs([SMOKE], ANSWERS)
    with LoopbackServer(scripted) as server:
        run = grade_run(files, by_judge(server), out=tmp_path / "run", now=lambda: 5)
        (recorded,) = replayed(f"replay:{run.path}")
        again = grade_run(files, GradeSettings("judge", recorded), out=tmp_path / "replayed", now=lambda: 5)
        reused = by_judge(server, reuse=run.path)
        other = grade_run(files, reused, out=tmp_path / "reused", now=lambda: 5)
        # The banned word is looked for without a judge.
        assert [parts(request.prompt)["STEP ID"] for request in server.requests] == ["V1-1", "V1-2", "V1-3"]
    assert grades(run) == {"V1-1": "CORRECT", "V1-2": "CORRECT", "V1-3": "PARTIAL", "V1-4": "PASS"}
    third = record_of(run)["probes"][2]
    assert third["key_detail"] == "3 months and 12 months"
    assert (third["judgings"], third["value"]) == (["PARTIAL"], 0.5)
    assert run.record.models["anthropic/m"]["calls"] == 3
    assert grades(run) == grades(again) == grades(other)
    assert (again.path / GRADES_FILE).read_bytes() == (run.path / GRADES_FILE).read_bytes()
    assert other.record.inputs["reused calls"] == again.record.inputs["recording"]


def test_several_models_stand_side_by_side_and_controls_are_no_scores(tmp_path):
    data = json.loads(SMOKE.read_text())
    paths = []
    for name, changes in {"a": {}, "b": {}, "c": {"control": "closed-book"}}.items():
        for case in data["cases"]:
            case.update({"model": "a" if changes else name, **changes})
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(json.dumps(data))
    run = grade_run(read_grading_inputs(paths, ANSWERS), GradeSettings(), out=tmp_path / "run")
    record = record_of(run)
    assert record["models"] == ["a", "b", "a (closed-book)"]
    assert [case["control"] for case in record["cases"]] == [None, None, "closed-book"]
    assert len(record["probes"]) == 12
    assert sorted(set(run.scores().frame["model"])) == ["a", "b"]
    assert [one["model"] for one in record["effective_length"]["models"]] == ["a", "b"]


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


def test_attempts_of_a_model_in_several_files_are_further_epochs(tmp_path):
    one = results(tmp_path / "one.json", ("a", {}), ("b", {}), model="m")
    two = results(tmp_path / "two.json", ("a", {}), model="m", startedAt=5)
    files = read_grading_inputs([one, two], ANSWERS)
    assert [(case.name, case.epoch) for case in files.played] == [("a", 0), ("b", 0), ("a", 1)]
    said = f"{two}: a of m counts as epoch 1, since an earlier file has its epoch 0"
    assert [note for note in files.notes if "epoch" in note] == [said]
    for again in (one, results(tmp_path / "again.json", ("a", {}), ("b", {}), model="m")):
        with pytest.raises(UsageError, match=r"these results are those of .*one\.json again"):
            read_grading_inputs([one, again], ANSWERS)
    second = results(tmp_path / "two.json", ("a", {"epoch": 1}), model="m")
    other = results(tmp_path / "other.json", ("a", {}), model="n")
    assert "epoch" not in str(read_grading_inputs([one, second, other], ANSWERS).notes)
