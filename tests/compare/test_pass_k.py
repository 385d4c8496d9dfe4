"""pass^k: by hand, by brute force, its refusals, and a gate on it."""

import json
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import tellapart as ta
from tellapart.compare.pass_k import pass_k_of
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError, UsageError


def answers(**models):
    """A table of the answers of each model, a list for each item."""
    rows = [
        {"model": model, "item": f"q{i:03d}", "replicate": n, "score": score}
        for model, items in models.items()
        for i, of_item in enumerate(items)
        for n, score in enumerate(of_item)
    ]
    return pl.DataFrame(rows, schema_overrides={"score": pl.Float64})


def test_of_n_answers_all_choices_of_k_count_alike():
    rng = np.random.default_rng(7)
    items = [(rng.random(rng.integers(3, 7)) < 0.7).astype(float).tolist() for _ in range(40)]
    scored, _ = pass_k_of(ScoreTable.from_frame(answers(a=items)), 3)
    expected = [np.mean([min(chosen) for chosen in combinations(of, 3)]) for of in items]
    assert scored.frame["score"].to_list() == pytest.approx(expected, abs=1e-12)


def test_items_that_flip_are_named_and_items_with_too_few_answers_are_missing():
    table = ScoreTable.from_frame(answers(a=[[1, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1]], b=[[1, 1, 0]] * 4))
    scored, passed = pass_k_of(table, 3)
    assert passed.models["a"].model_dump() == {
        "mean": pytest.approx(1 / 3),
        "interval": (0.0, 1.0),
        "items": 3,
        "unsteady": ("q001",),
    }
    assert scored.frame.filter(model="a", item="q003")["missing"].to_list() == ["too few answers"]
    assert passed.models["b"].unsteady == ("q000", "q001", "q002", "q003")


def test_a_gate_on_steadiness_fails_where_the_mean_score_does_not_change(tellapart, tmp_path):
    # Both are right on half of all answers: main on half of the items, pr on every item half of the time.
    steady = [[1, 1, 1, 1]] * 50 + [[0, 0, 0, 0]] * 50
    for name, items in (("main", steady), ("pr", [[1, 0, 1, 0]] * 100)):
        answers(m=items).write_csv(tmp_path / f"{name}.csv")
    sides = tmp_path / "main.csv", tmp_path / "pr.csv"
    assert tellapart("compare", *sides, "--max-drop", "0.2").code == 0
    done = tellapart("compare", *sides, "--max-drop", "0.2", "--pass-k", "2")
    assert done.code == 3
    text = " ".join(done.out.split())
    assert "m (main): 2 of 2 answers are right with a chance of 50.0 %" in text
    assert "100 of 100 items are answered both right and wrong." in text
    record = json.loads(tellapart("compare", *sides, "--pass-k", "2", "--json").out)
    assert record["pass_k"]["models"]["m (pr)"]["mean"] == pytest.approx(1 / 6)
    assert ta.compare(*sides, pass_k=2, max_drop=0.2).passed is False


@pytest.mark.parametrize(
    ("items", "k", "error", "words"),
    [
        ([[1, 0]], 3, InputError, "no item has 3 answers of one model; the most are 2"),
        ([[1, 0.5, 1]], 2, InputError, "right or wrong, and a has 0.5 on q000"),
        ([[1, 0]], 1, UsageError, "pass-k is 1, expected 2 or more"),
    ],
)
def test_what_cannot_be_is_refused(items, k, error, words):
    with pytest.raises(error, match=words):
        pass_k_of(ScoreTable.from_frame(answers(a=items)), k)
