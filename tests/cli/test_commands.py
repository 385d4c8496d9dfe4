import json
from pathlib import Path

import polars as pl
import pytest

from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable


def test_from_a_repository_to_figures(tellapart, tiny_bench, tmp_path):
    out = tmp_path / "r"
    ran = tellapart("contrastive", "run", tiny_bench, "--model", "bm25", "--model", "lsa", "--out", out)
    assert (ran.code, ran.out.strip()) == (0, str(out))
    report = tellapart("contrastive", "report", out, "--json")
    figures = json.loads(report.out)
    assert list(figures["by_difficulty"]) == ["trivial", "easy"]
    assert set(figures["overall"]) == {"bm25", "lsa"}
    assert figures["fingerprint"] == json.loads((tiny_bench / "benchmark.json").read_text())["fingerprint"]
    grid = score_grid(ScoreTable.from_frame(pl.read_parquet(out / "scores.parquet")))
    ranks = {model: row["mrr"] for model, row in figures["overall"].items()}
    assert dict(zip(grid.models, grid.scores.mean(axis=1), strict=True)) == pytest.approx(ranks)


def test_messages_go_to_stderr_and_data_to_stdout(tellapart, repository, tmp_path):
    made = tellapart(
        "contrastive",
        "build",
        repository,
        "--out",
        tmp_path / "b",
        "--targets",
        5,
        "--levels",
        "trivial",
        "--json",
    )
    assert json.loads(made.out)["counts"]["targets"] == 5
    assert "extracting units" in made.err


def test_runs_are_listed_shown_and_deleted(tellapart, tiny_bench, tmp_path):
    assert (
        tellapart(
            "contrastive", "run", tiny_bench, "--model", "bm25", "--out", tmp_path / "runs" / "one"
        ).code
        == 0
    )
    listed = json.loads(tellapart("runs", "list", "--root", tmp_path / "runs", "--json").out)
    assert [(Path(row["path"]).name, row["status"]) for row in listed] == [("one", "complete")]
    assert (listed[0]["compared"], listed[0]["verdict"]) == (["bm25"], "one model: nothing to compare")
    shown = json.loads(tellapart("runs", "show", "one", "--root", tmp_path / "runs", "--json").out)
    assert shown["counts"] == {"models": 1, "items": 20}
    assert tellapart("runs", "delete", "one", "--root", tmp_path / "runs", "--yes").code == 0
    assert list((tmp_path / "runs").iterdir()) == []
