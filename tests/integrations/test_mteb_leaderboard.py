"""A leaderboard of two models that the library MTEB 2.26.24 evaluated on five tasks of its kinds."""

import json
from pathlib import Path

import numpy as np
import pytest

from tellapart.errors import InputError
from tellapart.leaderboard.reading import read_leaderboard

RESULTS = Path(__file__).parent / "fixtures" / "mteb"

# What `mteb.evaluate` returned: classification, pairs, reranking, retrieval, similarity; a score a part.
SCORES = {
    "tiny/one": [[0.58333333, 0.44444444], [0.59846281], [0.42498], [0.21685, 0.15798], [0.26488761]],
    "tiny/bare": [[0.58333333, 0.44444444], [0.59846281], [0.50148], [0.22187, 0.09988], [0.26488761]],
}


def test_means_and_parts_are_those_of_mteb(tellapart):
    done = tellapart("leaderboard", RESULTS, "--json")
    assert done.code == 0, done.err
    record = json.loads(done.out)
    means = {model: np.mean([np.mean(parts) for parts in tasks]) for model, tasks in SCORES.items()}
    assert {model["model"]: model["mean"] for model in record["models"]} == pytest.approx(means, abs=1e-6)
    assert [task["parts"] for task in record["tasks"]] == [2, 1, 1, 2, 1]
    assert read_leaderboard([RESULTS]).parts["LocalRetrieval"] == ("one/test", "two/test")


def test_what_is_no_leaderboard_is_refused(tmp_path):
    with pytest.raises(InputError, match="results of one model only, 'tiny/one'"):
        read_leaderboard([RESULTS / "tiny__one"])
    broken = tmp_path / "a" / "b" / "T.json"
    broken.parent.mkdir(parents=True)
    broken.write_text('{"task_name": "T", "scores": {"test": [{"hf_subset": "default", "main_score": "x"}]}}')
    with pytest.raises(InputError, match=r"T.json.* the score of b on T is 'x', expected a number"):
        read_leaderboard([tmp_path])
