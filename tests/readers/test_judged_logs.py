"""Scores of a model-graded scorer of Inspect and of promptfoo's rubrics, corrected by people's labels."""

import json
import re
from copy import deepcopy
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tellapart.readers import read_scores
from tellapart.readers.labels import with_codes

FIXTURES = Path(__file__).parent / "fixtures"
N = 300


def inspect_logs(judged):
    """A log a model, of the samples of the fixture, each with the judge's grade."""
    log = json.loads((FIXTURES / "inspect/middle.json").read_text())
    sample = log["samples"][0]
    paths = []
    for model, scores in judged.items():
        log["eval"]["model"] = model
        log["samples"] = [
            sample | {"id": f"q{i}", "metadata": {}, "scores": {"graded": {"value": "C" if score else "I"}}}
            for i, score in enumerate(scores)
        ]
        paths.append(f"{model}.json")
        Path(paths[-1]).write_text(json.dumps(log))
    return paths


def promptfoo_results(judged):
    """The results of the fixture's first test, for other questions and providers, with the judge's score."""
    log = json.loads((FIXTURES / "promptfoo/prompts.json").read_text())
    first = log["results"]["results"][0]
    results = []
    for column, (model, scores) in enumerate(judged.items()):
        for i, score in enumerate(scores):
            result = deepcopy(first)
            result |= {"promptIdx": column, "testIdx": i, "score": float(score), "namedScores": {}}
            result["provider"]["label"] = model
            result["testCase"]["vars"] = {"question": f"q{i}", "answer": "4"}
            results.append(result)
    log["results"]["results"] = results
    Path("out.json").write_text(json.dumps(log))
    return ["out.json"]


@pytest.mark.parametrize("write", [inspect_logs, promptfoo_results])
def test_labels_undo_the_bias_of_a_judge_in_a_log(write, tellapart, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(7)
    truth = {model: rng.permutation(np.arange(N) < N // 2) for model in ("alpha", "beta")}
    # The judge lets every second wrong answer of alpha pass.
    judged = truth | {"alpha": truth["alpha"] | (rng.random(N) < 0.5)}
    paths = write(judged)
    drawn = tellapart("label", *paths, "--budget", 60, "--out", "sheet.csv")
    assert "Wrote sheet.csv: 120 answers to 60 of 300 items." in drawn.out, drawn.err
    frame = with_codes(read_scores([Path(path) for path in paths]).table.frame)
    answers = {
        code: float(truth[model][int(re.search(r"q(\d+)", item)[1])])
        for code, model, item in frame.select("code", "model", "item").iter_rows()
    }
    sheet = pl.read_csv("sheet.csv")
    sheet.with_columns(human=pl.col("code").replace_strict(answers)).write_csv("sheet.csv")
    judge = json.loads(tellapart("audit", *paths, "--json").out)
    people = json.loads(tellapart("audit", *paths, "--human", "sheet.csv", "--json").out)
    (before,), (after,) = (of["comparison"]["primary"]["pairs"] for of in (judge, people))
    assert (before["verdict"], after["verdict"], after["test"]) == ("a>b", "not_separated", "labels")
    assert after["interval"][0] < 0 < after["interval"][1]
    labels = people["labels"]
    assert (labels["n"], labels["favours"]) == (60, ["alpha"])
    lifted = judged["alpha"].mean() - truth["alpha"].mean()
    low, high = labels["judge"]["alpha"]["interval"]
    assert 0 < low < lifted < high
