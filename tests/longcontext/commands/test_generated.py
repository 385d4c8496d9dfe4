"""A made-up experiment by the commands alone: generate, lint, run, grade."""

import json

import pytest


@pytest.fixture
def longcontext(tellapart):
    def run(*arguments):
        done = tellapart("longcontext", *arguments)
        assert done.code == 0, done.err
        return done

    return run


def test_the_planted_length_comes_out_of_the_commands(longcontext, tmp_path):
    asked = ("--lengths", "4K,16K,32K", "--conversations", "3", "--distractors", "2")
    longcontext("generate", "--out", tmp_path / "exp", *asked)
    cases = sorted((tmp_path / "exp").glob("*.yaml"))
    findings = json.loads(longcontext("lint", *cases, "--json").out)
    assert {one["severity"] for one in findings} == {"info"}
    assert sum(one["check"] == "distance" for one in findings) == 3 * 5 * 3
    models = ("--model", "offline/recalls-16k", "--model", "offline/recalls-ends")
    longcontext("run", *cases, *models, "--fork-probes", "--run", tmp_path / "run", "--quiet")
    longcontext("grade", tmp_path / "run", "--cases", *cases, "--run", tmp_path / "grade")
    record = json.loads((tmp_path / "grade" / "artifacts" / "grades.json").read_text())
    traps = {probe["category"] for probe in record["probes"] if probe["failure_mode"].startswith("Never")}
    assert traps == {"CORRECT"}
    far, middle = record["effective_length"]["models"]
    assert far["model"] == "offline/recalls-16k"
    assert [cell["value"] for cell in far["by_length"]] == [1.0, 1.0, 0.6]
    assert (far["absolute"]["tokens"], far["relative"]["tokens"]) == (16_000, 16_000)
    assert far["relative"]["interval"]["high_tokens"] == 16_000
    rows = [[cell["value"] for cell in middle["heatmap"][i : i + 5]] for i in (0, 5, 10)]
    assert rows == [[1.0] * 5, [1.0, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 1.0]]
    assert middle["absolute"]["tokens"] == 4000
    assert not any(case["truncations"] for case in record["cases"])
