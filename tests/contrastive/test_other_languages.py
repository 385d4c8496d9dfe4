import polars as pl
import pytest

from contrastive.fakes import as_json, ends, item_rows, make_benchmark, make_units
from tellapart.contrastive.other_languages import split_by_language
from tellapart.core.stats import clustered_rate


def test_distractors_of_another_language_by_hand():
    benchmark = make_benchmark(
        make_units(*"abcxyz"), [], [("hard", "a", "bx"), ("hard", "b", "xy"), ("hard", "c", "ab")]
    )
    ids = {unit.name: unit.id for unit in benchmark.units}
    languages = {ids[name]: "python" if name in "abc" else "go" for name in ids}

    def row(target, best, correct):
        about = {"item": f"hard/{ids[target]}", "level": "hard", "path": target, "options": 3}
        return about | {"best_distractor": ids[best], "correct": correct}

    rows = item_rows(row("a", "b", 0.0), row("b", "x", 0.0), row("c", "a", 1.0))
    found = as_json(split_by_language(languages, benchmark.sets, rows))
    assert found["distractors"] == {"hard": {"go": 3, "same language": 3}}
    chance = pytest.approx(1 / 3)
    assert found["accuracy"] == {
        "with": {
            "m": {"n": 2, "accuracy": 0, "ci": ends(clustered_rate([0, 0], "ab").interval), "chance": chance}
        },
        "without": {"m": {"n": 1, "accuracy": 1, "ci": None, "chance": chance}},
    }
    # Of the two missed, one went to Go: a has one of two such distractors, b both.
    taken = found["misses"]["hard"]["m"]
    assert taken["n"] == 2
    assert [(name, one["share"], one["expected"]) for name, one in taken["by_language"].items()] == [
        ("go", 0.5, 0.75),
        ("same language", 0.5, 0.25),
    ]
    assert split_by_language(dict.fromkeys(languages, "python"), benchmark.sets, pl.DataFrame()) is None
