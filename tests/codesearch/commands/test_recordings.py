"""Whole recordings through commands: replayed explorers and judge, and repositories that are not there."""

import json
import shutil
from pathlib import Path

import pytest

from tellapart.codesearch.recordings import read_evaluation

FIXTURES = Path(__file__).parents[1] / "reading" / "fixtures"
REPLAY = ("--explorer-a", "replay:evaluation.json", "--explorer-b", "replay:evaluation.json")


@pytest.fixture
def evaluate(tmp_path, monkeypatch, tellapart):
    """Evaluate a recorded iteration, with these verdicts of the recording."""
    for name in ("evaluation.json", "search_results.json"):
        shutil.copy(FIXTURES / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TELLAPART_INDEX", str(tmp_path / "index"))

    def run(judge):
        asked = ("--in", "search_results.json", "--iteration", "1", *REPLAY, "--judge", f"replay:{judge}")
        done = tellapart("codesearch", "evaluate", *asked)
        assert done.code == 0, done.err
        return json.loads(done.out), done.err

    return run


def test_recorded_verdicts_give_the_figures_of_the_recording(evaluate, tellapart):
    replayed, _ = evaluate("evaluation.json")
    rescored = json.loads(tellapart("codesearch", "rescore", "--in", "evaluation.json").out)
    for part in ("aggregate", "measures", "judging", "assessment"):
        assert replayed["metrics"].get(part) == rescored["metrics"].get(part), part


def test_what_the_recording_lacks_is_missing_and_not_wrong(evaluate, tmp_path):
    data = json.loads((tmp_path / "evaluation.json").read_text())
    gone = data["conversations"][2]["our_unique_judgments"].pop()
    (tmp_path / "fewer.json").write_text(json.dumps(data))
    replayed, err = evaluate("fewer.json")
    verdict = read_evaluation(json.dumps(replayed)).cases[2].verdicts[gone["file"]]
    assert verdict.relevant is None and verdict.failure is not None
    assert (verdict.failure.cause, verdict.failure.kind) == ("provider", "not_recorded")
    assert "not recorded in fewer.json: the verdicts on 1 file(s)" in err and "--reuse" not in err
