import json
import subprocess
import sys

import pytest

from tellapart.audit.run import audit_files
from tellapart.demo import audit_lines, conclusion

COUNTS = {"targets": 300, "units": 4517}


def pair(a, b, difference, needed, p_holm, ci=(-0.01, 0.05)):
    row = {"a": a, "b": b, "difference": difference, "ci": ci and list(ci)}
    return row | {"items_needed": needed, "p_holm": p_holm}


def setup(*pairs, **accuracy):
    return {"models": {model: {"accuracy": value} for model, value in accuracy.items()}, "pairs": list(pairs)}


def lines(old, levels, **shuffled):
    controls = {model: {"accuracy": at, "chance": 0.1, "ci": ci} for model, (at, ci) in shuffled.items()}
    figures = {"fingerprint": "f|42|6", "controls": {"shuffled": controls}}
    return conclusion(figures | {"validation": {"baseline": old, "phase2": levels}}, COUNTS)


def test_the_sharpest_level_is_the_one_that_tells_most_apart_with_least():
    old = setup(pair("x", "y", 0.01, 9000, 1.0), x=0.5, y=0.49)
    easy = setup(pair("x", "y", 0.02, 800, 0.4), x=0.9, y=0.88)
    hard = setup(pair("x", "y", 0.1, 200, 0.001), x=0.5, y=0.4)
    said = lines(old, {"easy": easy, "hard": hard}, x=(0.1, [0.08, 0.12]))
    assert said[1] == (
        "The old way, 4 distractors: x 50%, y 49%; 0 of 1 pairs told apart; items needed: x–y 9,000."
    )
    assert said[2] == "The new way, hard: x 50%, y 40%; 1 of 1 pairs told apart; items needed: x–y 200."
    assert said[3] == "Leave alone: nothing; hard tells every pair apart that there is."


def test_the_pair_to_leave_alone_is_the_dearest_that_is_not_told_apart():
    pairs = (pair("x", "y", 0.1, 200, 0.01), pair("x", "z", 0.02, 900, 0.2), pair("y", "z", 0.0, None, 1.0))
    said = lines(None, {"hard": setup(*pairs, x=0.5, y=0.4, z=0.4)}, x=(0.1, [0.08, 0.12]))
    assert said[1] == "The old way, 4 distractors: no question could be built."
    assert said[3] == (
        "Leave alone: y and z differ by +0.0 points (-1.0 to +5.0) at hard; telling them apart would not be "
        "possible with any number of items, so choose on other grounds."
    )


@pytest.mark.parametrize(
    ("shuffled", "verdict"),
    [
        (
            {"x": (0.1, [0.08, 0.12])},
            "x 10.0%, where guessing gives 10.0%; all at chance within their intervals.",
        ),
        (
            {"x": (0.1, [0.08, 0.12]), "y": (0.2, [0.15, 0.25])},
            "x 10.0%, y 20.0%, where guessing gives 10.0%; not at chance: y.",
        ),
        ({"x": (None, None)}, "too few items to say."),
    ],
)
def test_the_control_is_read_against_chance(shuffled, verdict):
    said = lines(None, {"hard": setup(x=None)}, **shuffled)
    assert said[2] == "The new way, hard: x –."
    assert said[4] == f"Control, another unit's summary: {verdict}"


def test_the_level_that_tells_most_apart_with_fewest_items_is_named(monkeypatch):
    monkeypatch.setattr("tellapart.report.audit.output.headline", lambda _: "Told")
    pairs = [{"a": "x", "b": "y", "items_needed": 5000}, {"a": "x", "b": "z", "items_needed": None}]

    def level(apart, *needed):
        return {"separated_paired": apart, "items": 30, "items_needed": dict(enumerate(needed))}

    levels = {"easy": level(0.0, 10, 10), "hard": level(0.5, 20, 900), "harder": level(0.5, 20, None)}
    figures = {"pairs": pairs, "items": 90, "by_stratum": {"difficulty": levels}}
    assert audit_lines({"it": figures})[1] == (
        "Items that each pair would need there: x–y 5,000, x–z –, of 90; of hard alone 20, 900, of 30."
    )


def test_an_audit_is_told_with_the_items_that_each_pair_would_need(tmp_path):
    # x is right on all of 8 items that y is wrong on: exact McNemar gives 2 / 2^8 < .05. It finds such a
    # difference for certain from 6 items on, as 2 / 2^6 < .05 < 2 / 2^5.
    rows = [
        "model,item,score",
        *(f"{model},{i},{score}" for model, score in (("x", 1), ("y", 0)) for i in range(8)),
    ]
    (tmp_path / "scores.csv").write_text("\n".join(rows))
    figures = audit_files([tmp_path / "scores.csv"]).figures
    assert audit_lines({"this run": figures}) == (
        "Audit of this run: Tells the two models apart: x > y.",
        "Items that each pair would need there: x–y 6, of 8.",
    )
    assert audit_lines({}) == ()


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """Where the benchmark is built once."""
    return tmp_path_factory.mktemp("demo")


def demo(out, *models):
    named = [word for model in models for word in ("--model", model)]
    command = [sys.executable, "-m", "tellapart", "demo", "--out", out, *named, "--targets", "20", "--json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def test_one_model_and_a_second_run_of_the_same(out):
    first, second = demo(out, "bm25"), demo(out, "bm25")
    assert {"seconds", "peak_rss_mb", "by_difficulty", "validation", "bias"} <= set(first)
    assert first["by_difficulty"] == second["by_difficulty"]
    assert (out / "report.html").exists()
    assert first["audit"] == {}


def test_the_run_and_the_old_way_are_audited_and_linked(out):
    figures = demo(out, "bm25", "tfidf")
    assert figures["audit"]["this run"]["items"] == 120
    assert figures["audit"]["the old way"]["items"] == 20
    assert set(figures["audit"]["this run"]["by_stratum"]["difficulty"]) == set(figures["by_difficulty"])
    report = (out / "report.html").read_text()
    for page in ("audit.html", "audit-original.html"):
        assert f'href="{page}"' in report
        assert 'href="report.html"' in (out / page).read_text()
