import json
import subprocess
import sys
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
    accuracies = {model: row["accuracy"] for model, row in figures["overall"].items()}
    assert dict(zip(grid.models, grid.scores.mean(axis=1), strict=True)) == pytest.approx(accuracies)


def test_the_same_build_twice_is_the_same_bytes(tellapart, repository, tiny_bench, tmp_path):
    again = tellapart(
        "contrastive",
        "build",
        repository,
        "--out",
        tmp_path / "again",
        "--targets",
        10,
        "--levels",
        "easy,trivial",
    )
    assert again.code == 0
    for file in tiny_bench.iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()


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


def test_validate_prints_the_contract(tellapart, repository):
    made = tellapart(
        "contrastive", "validate", repository, "--model", "bm25", "--model", "lsa", "--targets", 8, "--json"
    )
    figures = json.loads(made.out)
    assert {"baseline", "phase1", "phase2", "items_needed", "comparison"} <= set(figures)
    assert set(figures["items_needed"]["baseline"]) == {"bm25 vs lsa"}


def test_bias_prints_the_contract(tellapart, tiny_bench):
    models = [word for name in ("bm25", "tfidf", "lsa") for word in ("--model", name)]
    figures = json.loads(
        tellapart("contrastive", "bias", tiny_bench, *models, "--level", "trivial", "--json").out
    )
    assert set(figures["accuracy"]) == {"fusion", "lsa"}
    assert set(figures["self"]["lsa"]) >= {"effect", "ci"}


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


def test_help_is_quick_and_imports_nothing_heavy():
    heavy = "{'numpy', 'polars', 'sklearn', 'faiss', 'torch', 'sentence_transformers', 'altair'}"
    code = f"import sys, tellapart.cli.main; print({heavy} & set(sys.modules))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "set()\n"
    )


def test_every_command_explains_itself(tellapart):
    for command in ([], ["demo"], ["contrastive", "build"], ["contrastive", "run"], ["contrastive", "report"],
                    ["contrastive", "bias"], ["contrastive", "validate"], ["runs", "list"]):  # fmt: skip
        helped = tellapart(*command, "--help")
        assert helped.code == 0
        assert "--help" in helped.out


def test_a_place_that_cannot_be_written_is_told_before_any_work(tellapart, repository, tmp_path):
    done = tellapart("contrastive", "validate", repository, "--scores", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {tmp_path}: this is a directory, expected a file")
    both, run = tmp_path / "page", tmp_path / "run"
    run.mkdir()
    (run / "run.json").write_text("{}")
    done = tellapart("contrastive", "report", run, "--html", both, "--markdown", both)
    assert done.code == 2
    assert "two outputs would go to this file" in done.err
