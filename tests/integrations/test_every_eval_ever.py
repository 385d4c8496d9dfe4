"""A run in the schema of Every Eval Ever: read by our leaderboard, and checked by their program."""

import json
import subprocess
from shutil import which

import pytest

import tellapart as ta
from support.score_tables import table_of
from tellapart.core.stats.intervals import clustered_mean
from tellapart.store import RunPlan

SCORES = {
    "openai/gpt 5": [1, 0, 0.5, 1, 1, "parse", 0, 1],
    "bm25": [0, 0, 0.5, 1, 0, 1, 0, 1],
    "none": ["parse"] * 8,
}


@pytest.fixture
def exported(tmp_path, tellapart):
    plan = RunPlan("contrastive", {"models": ["bm25"]}, {"benchmark": "abc"}, seed=42, out=tmp_path / "run")
    table = table_of(SCORES, [f"s{i // 2}" for i in range(8)], name="q{}")
    with plan.writing() as run:
        run.write_frame("scores.parquet", table.frame)
    done = tellapart("runs", "export", tmp_path / "run", "--out", tmp_path / "eee", "--eee")
    assert done.code == 0
    return tmp_path / "eee"


def test_each_model_with_a_score_has_a_file_with_its_mean_and_interval(exported, tellapart):
    files = {str(path.parent.relative_to(exported)): path for path in exported.rglob("*.json")}
    assert sorted(files) == ["data/contrastive/openai/gpt_5", "data/contrastive/unknown/bm25"]
    record = json.loads(files["data/contrastive/openai/gpt_5"].read_text())
    (result,) = record["evaluation_results"]
    known = [i for i in range(8) if i != 5]
    expected = clustered_mean([SCORES["openai/gpt 5"][i] for i in known], [f"s{i // 2}" for i in known])
    assert record["model_info"]["id"] == "openai/gpt_5"
    assert result["score_details"]["score"] == expected.value == 4.5 / 7
    uncertainty = result["score_details"]["uncertainty"]
    assert uncertainty["num_samples"] == 7
    assert uncertainty["standard_error"]["value"] == pytest.approx(expected.standard_error)
    assert uncertainty["confidence_interval"]["upper"] == pytest.approx(expected.interval.high)
    assert result["score_details"]["details"] == {"missing: parse": "1"}
    again = tellapart("runs", "export", exported.parent / "run", "--out", exported, "--eee")
    assert (again.code, "not empty" in again.err) == (2, True)


def test_our_leaderboard_reads_what_we_write(exported):
    board = ta.leaderboard(exported)
    assert dict(board.ranking.select("model", "mean").iter_rows()) == {
        "openai/gpt_5": 4.5 / 7,
        "unknown/bm25": 0.4375,
    }


def test_their_program_accepts_what_we_write(exported):
    program = which("every_eval_ever")
    if program is None:
        pytest.skip("every_eval_ever 0.3 needs Python 3.12; not on the path")
    ends = {}
    for path in exported.rglob("*.json"):
        command = [program, "validate", str(path.relative_to(exported))]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=exported)
        ends[path.parent.name] = done.returncode
    # 2 is valid but not ready for their data store, which asks for the developer that bm25 has not.
    assert ends == {"gpt_5": 0, "bm25": 2}
