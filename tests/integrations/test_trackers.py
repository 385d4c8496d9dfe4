"""Figures for experiment trackers: what commands write, and the recipes of the docs with real trackers."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import tellapart as ta
from tellapart.report.tracked import tracked

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
NAME = re.compile(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+")


def recipe(tracker):
    """The Python of the docs that uses a tracker."""
    (block,) = [block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if tracker in block]
    return block


def test_names_and_numbers_are_what_each_tracker_takes():
    figures = [
        (("openai/gpt 5@x", "mean"), 0.5),
        (("a:b", "mean"), 1),
        (("a_b", "mean"), 2),
        (("..", "passed"), True),
        (("items",), 7),
        (("items", "mean"), 3),
        (("x", "mean"), None),
        (("x", "ratio"), float("nan")),
        (("x", "odds"), float("inf")),
    ]
    written = tracked("audit", figures)
    numbers = {"openai_gpt_5_x/mean": 0.5, "a_b-6783a3/mean": 1, "a_b-648fa9/mean": 2, "_/passed": 1}
    numbers |= {"items": 7, "items-5f3c4f/mean": 3, "undefined": 3}
    assert written.numbers == {f"audit/{name}": value for name, value in numbers.items()}
    assert written.undefined == ("audit/x/mean", "audit/x/ratio", "audit/x/odds")


def written(path):
    figures = json.loads(path.read_text())
    assert all(NAME.fullmatch(name) and np.isfinite(value) for name, value in figures.items())
    return figures


def test_an_audit_and_a_comparison_write_what_they_print(tellapart, tmp_path):
    rows = [f"{model},q{i},{int(i % k > 0)}" for model, k in (("openai/x", 5), ("old", 3)) for i in range(60)]
    (tmp_path / "all.csv").write_text("model,item,score\n" + "\n".join([*rows, "old,q60,"]))
    out = tmp_path / "m.json"
    printed = json.loads(tellapart("audit", tmp_path / "all.csv", "--json", "--metrics-json", out).out)
    figures = written(out)
    assert figures == ta.audit(tmp_path / "all.csv").metrics
    best = printed["ranking"][0]
    assert figures["audit/openai_x/mean"] == best["mean"] == 0.8
    assert [figures[f"audit/openai_x/mean_{end}"] for end in ("low", "high")] == best["ci"]
    assert (figures["audit/items"], figures["audit/old/missing"], figures["audit/undefined"]) == (61, 1, 1)
    (pair,) = printed["comparison"]["primary"]["pairs"]
    both = f"{pair['a'].replace('/', '_')}_vs_{pair['b'].replace('/', '_')}"
    assert figures[f"audit/{both}/p_adjusted"] == pair["p_adjusted"]

    ended = tellapart(
        *("compare", tmp_path / "all.csv", "--baseline", "openai/x", "--max-drop", 0.02),
        *("--json", "--metrics-json", out),
    )
    figures, gate = written(out), json.loads(ended.out)["gate"]
    assert ended.code == 4
    assert figures["compare/old/difference"] == -gate["drop"]
    assert figures["compare/old/difference_low"] == -gate["interval"][1]
    assert figures["compare/undefined"] == 2
    assert f"note: left out of {out}: 2 undefined figures: compare/passed and compare/old/passed" in ended.err


@pytest.fixture
def figures(tmp_path, monkeypatch):
    """The figures of a comparison, as ``metrics.json`` where the recipes look for them."""
    monkeypatch.chdir(tmp_path)
    scores = [{model: {f"q{i}": int(i % k > 0) for i in range(60)}} for model, k in (("st:a", 5), ("b@2", 3))]
    metrics = ta.compare(*scores, max_drop=0.02).metrics
    Path("metrics.json").write_text(json.dumps(metrics))
    return metrics


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_mlflow_keeps_the_figures_in_its_file_store(figures, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    exec(compile(recipe("mlflow"), "recipe", "exec"), {})
    assert mlflow.last_active_run().data.metrics == figures
