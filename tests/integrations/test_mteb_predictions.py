"""Predictions that the library MTEB writes for local tasks; each mean must be the score that it reports."""

import json
from pathlib import Path

import polars as pl
import pytest

from integrations.mteb_run import evaluate
from tellapart.errors import InputError, UsageError
from tellapart.integrations.mteb import task
from tellapart.readers import read_scores
from tellapart.readers.settings import ReadingSettings

TASKS = ("LocalRetrieval", "LocalReranking")


def read(folder, name, **options):
    return read_scores([folder], ReadingSettings(qrels=Path(f"integrations.local_tasks:{name}"), **options))


def test_means_are_the_scores_of_mteb_split_by_split_and_language_by_language(evaluated):
    folder, scores = evaluated.folder, evaluated.scores
    for name in TASKS:
        reading = read(folder, name)
        frame = reading.table.frame
        columns = [column for column in ("subset", "split") if column in frame.columns]
        assert frame["model"].unique().to_list() == ["tiny/one"]
        for (subset, split), main_score in scores[name].items():
            values = {"subset": subset, "split": split}
            part = frame.filter(**{column: values[column] for column in columns})
            # MTEB rounds measures of rankings to five digits.
            assert part["score"].mean() == pytest.approx(main_score, abs=5.1e-6), name
        assert len(scores[name]) == (2 if columns else 1)
    assert "4 files of other tasks are passed over" in reading.notes[0]


def test_a_folder_of_two_models_is_refused_by_name(evaluated, tmp_path):
    folder = evaluated.folder
    for name, model in (("LocalReranking", "tiny/one"), ("LocalRetrieval", "tiny/two")):
        content = json.loads((folder / f"{name}_predictions.json").read_text())
        content["mteb_model_meta"]["model_name"] = model
        (tmp_path / f"{name}_predictions.json").write_text(json.dumps(content))
    with pytest.raises(
        InputError, match=r"of two models .* tiny/one \(LocalReranking_.* and tiny/two \(LocalRetrieval_"
    ):
        read(tmp_path, "LocalReranking")


def test_tasks_that_rank_nothing_are_refused(evaluated):
    with pytest.raises(UsageError, match="'LocalSTS' is of the type STS, .* tellapart leaderboard RESULTS"):
        read(evaluated.folder, "LocalSTS")


def test_predictions_of_our_own_benchmark_are_read_with_it(tiny_bench, named_model, tellapart, tmp_path):
    ours = task(tiny_bench)
    (result,) = evaluate(named_model, ours, prediction_folder=tmp_path / "pred").task_results
    reference = f"tellapart.integrations.mteb:task:{tiny_bench}"
    frame = read_scores([tmp_path / "pred"], ReadingSettings(qrels=Path(reference))).table.frame
    means = dict(frame.group_by("subset").agg(pl.col("score").mean()).iter_rows())
    theirs = {part["hf_subset"]: part["main_score"] for part in result.scores["test"]}
    assert means == pytest.approx(theirs, abs=1e-9)
