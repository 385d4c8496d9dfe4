"""A leaderboard of two models that the library MTEB evaluated."""

import json

import numpy as np
import pytest

from tellapart.errors import InputError
from tellapart.leaderboard.reading import read_leaderboard


def test_means_are_those_of_mteb(evaluated, rival, tellapart):
    done = tellapart("leaderboard", evaluated.results, "--json")
    assert done.code == 0, done.err
    record = json.loads(done.out)
    means = {
        name: np.mean([np.mean(list(parts.values())) for parts in scores.values()])
        for name, scores in (("tiny/one", evaluated.scores), ("tiny/bare", rival.scores))
    }
    assert {model["model"]: model["mean"] for model in record["models"]} == pytest.approx(means, abs=1e-6)
    assert [task["parts"] for task in record["tasks"]] == [2, 1, 1, 2, 1]


def test_parts_are_subsets_and_splits(evaluated, rival):
    board = read_leaderboard([evaluated.results])
    assert board.models == ("tiny/bare", "tiny/one")
    assert board.parts["LocalRetrieval"] == ("one/test", "two/test")


def test_what_is_no_leaderboard_is_refused(evaluated, tmp_path):
    with pytest.raises(InputError, match="results of one model only, 'tiny/one'"):
        read_leaderboard([evaluated.results / "tiny__one"])
    broken = tmp_path / "a" / "b" / "T.json"
    broken.parent.mkdir(parents=True)
    broken.write_text('{"task_name": "T", "scores": {"test": [{"hf_subset": "default", "main_score": "x"}]}}')
    with pytest.raises(InputError, match=r"T.json.* the score of b on T is 'x', expected a number"):
        read_leaderboard([tmp_path])
