"""A leaderboard of two models that the library MTEB evaluated, with its results and predictions."""

import json
import shutil

import numpy as np
import pytest

from tellapart.errors import InputError, UsageError
from tellapart.leaderboard.reading import read_leaderboard

TASKS = ["integrations.local_tasks"]


def test_means_and_items_are_those_of_mteb(evaluated, rival, tellapart):
    predictions = evaluated.folder.parent
    options = ["--predictions", predictions, "--mteb", *TASKS, "--json"]
    done = tellapart("leaderboard", evaluated.results, *options)
    assert done.code == 0, done.err
    record = json.loads(done.out)
    means = {
        name: np.mean([np.mean(list(parts.values())) for parts in scores.values()])
        for name, scores in (("tiny/one", evaluated.scores), ("tiny/bare", rival.scores))
    }
    assert {model["model"]: model["mean"] for model in record["models"]} == pytest.approx(means, abs=1e-6)
    assert [task["items"] for task in record["tasks"]] == [24, 77, 4, 9, 77]
    (pair,) = record["comparison_over_items"]["primary"]["pairs"]
    assert pair["n"] == 191
    # MTEB rounds measures of rankings to five digits, and all results to six.
    assert pair["difference"] == pytest.approx(means[pair["a"]] - means[pair["b"]], abs=5e-6)


def test_without_predictions_only_tasks_are_compared(evaluated, rival):
    board = read_leaderboard([evaluated.results])
    assert board.models == ("tiny/bare", "tiny/one") and not board.items
    assert board.parts["LocalRetrieval"] == ("one/test", "two/test")


def test_a_second_model_that_was_evaluated_into_a_models_folder_is_noticed(evaluated, rival, tmp_path):
    shutil.copytree(evaluated.folder.parent, tmp_path / "pred")
    mixed = tmp_path / "pred" / evaluated.folder.name / "LocalRetrieval_predictions.json"
    content = json.loads((rival.folder / "LocalRetrieval_predictions.json").read_text())
    mixed.write_text(json.dumps(content | {"mteb_model_meta": {"model_name": "tiny/one", "revision": "r1"}}))
    with pytest.raises(
        InputError, match="'LocalRetrieval' under the name 'tiny/one' score .* they are another model's"
    ):
        read_leaderboard([evaluated.results], [tmp_path / "pred"], TASKS)


def test_a_second_model_in_the_folder_of_the_first_is_noticed_without_predictions_of_its_own(
    evaluated, rival, tmp_path, tellapart
):
    for file in rival.folder.glob("*_predictions.json"):
        content = json.loads(file.read_text())
        content["mteb_model_meta"] = json.loads((evaluated.folder / file.name).read_text())["mteb_model_meta"]
        (tmp_path / file.name).write_text(json.dumps(content))
    done = tellapart("leaderboard", evaluated.results, "--predictions", tmp_path, "--mteb", *TASKS)
    assert done.code == 2
    assert "under the name 'tiny/one' score" in done.err and "they are another model's" in done.err


def test_options_that_would_do_nothing_are_refused(evaluated, rival, tmp_path):
    with pytest.raises(UsageError, match="--mteb names tasks .* with --predictions FOLDER"):
        read_leaderboard([evaluated.results], tasks=TASKS)
    with pytest.raises(InputError, match="there are no predictions here of LocalClass"):
        read_leaderboard([evaluated.results], [tmp_path], TASKS)


def test_a_task_that_mteb_does_not_have_is_given_by_its_module(evaluated, rival, tmp_path):
    results = tmp_path / "results"
    for folder in evaluated.results.glob("tiny__*"):
        for file in folder.rglob("*.json"):
            copy = results / file.relative_to(evaluated.results)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(file.read_text().replace("LocalSTS", "NowhereSTS"))
    (tmp_path / "NowhereSTS_predictions.json").write_text("{}")
    with pytest.raises(InputError, match="MTEB has no task 'NowhereSTS'.*--mteb MODULE"):
        read_leaderboard([results], [tmp_path / "NowhereSTS_predictions.json"])


def test_what_is_no_leaderboard_is_refused(evaluated, tmp_path):
    with pytest.raises(InputError, match="results only of 'tiny/one'"):
        read_leaderboard([evaluated.results / "tiny__one"])
    broken = tmp_path / "a" / "b" / "T.json"
    broken.parent.mkdir(parents=True)
    broken.write_text('{"task_name": "T", "scores": {"test": [{"hf_subset": "default"}]}}')
    with pytest.raises(InputError, match=r"T.json.*main_score"):
        read_leaderboard([tmp_path])
