"""Whole recordings through commands: replayed explorers and judge, and repositories that are gone."""

import json
import shutil
from pathlib import Path

import pytest

from codesearch.pipeline_files import CODE, make_code, search_results
from tellapart.codesearch.recordings import read_evaluation

FIXTURES = Path(__file__).parents[1] / "reading" / "fixtures"
REPLAY = ("--explorer-a", "replay:evaluation.json", "--explorer-b", "replay:evaluation.json")


@pytest.fixture
def recording(tmp_path, monkeypatch):
    """The working directory, with a recorded iteration in it."""
    for name in ("evaluation.json", "search_results.json"):
        shutil.copy(FIXTURES / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TELLAPART_INDEX", str(tmp_path / "index"))
    return tmp_path


def evaluate(tellapart, *options):
    done = tellapart(
        "codesearch", "evaluate", "--in", "search_results.json", "--iteration", "1", *REPLAY, *options
    )
    assert done.code == 0, done.err
    return json.loads(done.out), done.err


def test_replayed_explorers_and_verdicts_give_the_recorded_figures_without_a_repository(recording, tellapart):
    replayed, err = evaluate(tellapart, "--judge", "replay:evaluation.json")
    rescored = json.loads(tellapart("codesearch", "rescore", "--in", "evaluation.json").out)
    assert replayed["metrics"] == rescored["metrics"]
    assert replayed["metrics"]["aggregate"]["precision"] == 0.283
    assert "no repository is read" in err and "not in the repositories" not in err


def test_what_the_recording_lacks_is_missing_and_not_wrong(recording, tellapart):
    data = json.loads((recording / "evaluation.json").read_text())
    gone = data["conversations"][2]["our_unique_judgments"].pop()
    (recording / "fewer.json").write_text(json.dumps(data))
    replayed, err = evaluate(tellapart, "--judge", "replay:fewer.json")
    verdict = read_evaluation(json.dumps(replayed)).cases[2].verdicts[gone["file"]]
    assert verdict.relevant is None and verdict.failure is not None
    assert (verdict.failure.cause, verdict.failure.kind) == ("provider", "not_recorded")
    assert "not recorded in fewer.json: the verdicts on 1 file(s)" in err


def test_what_nobody_was_asked_to_judge_is_not_judged_in_a_replay_either(recording, tellapart):
    data = json.loads((recording / "evaluation.json").read_text())
    for conversation in data["conversations"]:
        conversation["our_unique_judgments"] = []
    (recording / "unjudged.json").write_text(json.dumps(data))
    replayed, _ = evaluate(tellapart, "--judge", "replay:unjudged.json")
    assert not any(case.verdicts for case in read_evaluation(json.dumps(replayed)).cases)
    assert replayed["metrics"]["judging"]["failed"] == {}


def test_absent_repositories_are_named_together(tmp_path, monkeypatch, tellapart):
    make_code(tmp_path / "code", {path: text for path, text in CODE.items() if path.startswith("aero/")})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.json").write_text(search_results())
    names = ("--repos-path", "code", "--repo", "aero", "--repo", "tack", "--repo", "zuck")
    refused = tellapart("codesearch", "evaluate", *names, "--in", "in.json")
    assert refused.code == 2
    assert refused.err.strip() == (
        "error: code: these repositories are not there: tack, zuck. Put them there, or read only "
        "the others with --repo aero."
    )
