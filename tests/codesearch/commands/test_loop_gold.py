"""A loop over a benchmark: each issue at its base commit, and gold in every iteration."""

import json
import shutil

import pytest

from codesearch.drafting.test_commits import commit, git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not on PATH")


def test_a_benchmark_is_looped_over_at_its_base_commits(tmp_path, monkeypatch, tellapart):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    monkeypatch.setenv("TELLAPART_INDEX", str(tmp_path / "index"))
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "code" / "r"
    root.mkdir(parents=True)
    git(root, "init", "-q")
    before = commit(root, "one", lib__pins="def show_pins():\n    pass\n", lib__feed="feed\n")
    after = commit(root, "two", lib__pins="def show_pins(zebra):\n    pass\n", lib__new="zebra\n")
    issue = {
        "instance_id": "o__r-1",
        "repo": "o/r",
        "base_commit": before,
        "problem_statement": "show pins of the zebra",
        "patch": git(root, "diff", before, after),
    }
    (tmp_path / "swe.jsonl").write_text(json.dumps(issue) + "\n")
    config = {"repos_path": "code", "approved_repos": ["r"], "loop": {"max_iterations": 2}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    files = ("--config", "config.json", "--in", "swe.jsonl", "--gold", "swe.jsonl", "--dir", "loop")
    done = tellapart("codesearch", "loop", *files, "--at-base")
    assert done.code == 0, done.err
    for number in (1, 2):
        found = json.loads((tmp_path / f"loop/iteration-{number}/evaluation.json").read_text())
        assert found["gold"]["form"] == "SWE-bench" and found["gold"]["left_out"] == {"added": 1}
        assert found["gold"]["acc_at"]["1"]["value"] == 1
        assert "r/lib/new" not in found["conversations"][0]["ground_truth_files"]
