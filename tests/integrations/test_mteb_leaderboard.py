"""A leaderboard of two models that the library MTEB evaluated, with its results and predictions."""

import json
import shutil

import numpy as np
import pytest

from tellapart.errors import InputError
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


def test_what_is_no_leaderboard_is_refused(evaluated, tmp_path):
    with pytest.raises(InputError, match="results only of 'tiny/one'"):
        read_leaderboard([evaluated.results / "tiny__one"])
    broken = tmp_path / "a" / "b" / "T.json"
    broken.parent.mkdir(parents=True)
    broken.write_text('{"task_name": "T", "scores": {"test": [{"hf_subset": "default"}]}}')
    with pytest.raises(InputError, match=r"T.json.*main_score"):
        read_leaderboard([tmp_path])
