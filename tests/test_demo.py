import json
import platform
import shutil
import sysconfig
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from tellapart.core.comparison import compare, to_json
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.demo import conclusion, run_demo

COUNTS = {"targets": 300, "units": 4517}


def setup(level, notes=None, **right):
    """Models that answer the first so many of 40 items of a level in as many files."""
    rows = [
        {"model": model, "item": f"{level}/{i}", "score": float(i < n), "difficulty": level}
        for model, n in right.items()
        for i in range(40)
    ]
    table = ScoreTable.from_frame(pl.DataFrame(rows), notes=notes)
    models = {model: {"accuracy": n / 40} for model, n in right.items()}
    return {"models": models} | ({"comparison": to_json(compare(table))} if len(right) > 1 else {})


def lines(original, hardest, **shuffled):
    controls = {
        model: {"value": at, "chance": 0.1, "interval": ci, "outcome": outcome}
        for model, (at, ci, outcome) in shuffled.items()
    }
    figures = {"fingerprint": "f|42|6", "controls": {"shuffled": controls}}
    figures["validation"] = {"phase2": {"hard": {}, "adversarial": hardest}}
    figures["validation"] |= {"baseline": original} if original else {}
    figures |= {"comparison": hardest["comparison"]} if "comparison" in hardest else {}
    return conclusion(figures, COUNTS)


DECLARED = ScoreNotes(by="difficulty", primary=("difficulty", "adversarial"))
AT_CHANCE = (0.1, [0.08, 0.12], "at chance")


def test_each_way_has_its_verdict_and_each_pair_one_number_of_items_a_way():
    # 2 items of 40 that one of two alone answers are p = .5, 12 are 2 / 2^12.
    original = setup("baseline", x=22, y=20)
    hardest = setup("adversarial", DECLARED, x=20, y=8)
    needed = [found["comparison"]["primary"]["pairs"][0]["items_needed"] for found in (hardest, original)]
    said = lines(original, hardest, x=AT_CHANCE)
    assert said[0] == (
        "Asked: 300 of the 4,517 documented functions, methods and classes in the standard library of Python "
        f"{platform.python_version()}, at 2 levels; benchmark f|42|6."
    )
    assert said[1] == (
        "The original method, 4 distractors: x 55 %, y 50 %. x and y are tied so far: too few items."
    )
    assert said[2] == (
        "This suite, level adversarial, chosen before the run: x 50 %, y 20 %. On adversarial items, "
        "use x: it beats y by 30 points (95 % interval 18.1 to 45.4)."
    )
    assert said[3] == (
        f"Items needed for 80 % power, were the gaps those seen: x–y {needed[0]['value']} "
        f"({needed[0]['low']} to {needed[0]['high']}), by the original method {needed[1]['value']} "
        f"({needed[1]['low']} or more); there are 40."
    )
    # The interval of the original method's difference holds 0, so that no number may do.
    assert needed[0]["value"] < 40 < needed[1]["value"]
    assert needed[1]["high"] is None
    assert len(said) == 5


def test_without_a_question_of_the_original_method_there_is_only_this_suite():
    said = lines(None, setup("adversarial", DECLARED, x=20, y=20, z=8), x=AT_CHANCE)
    assert said[1] == "The original method, 4 distractors: no question could be built."
    assert said[2].endswith(
        "On adversarial items, use x or y: both beat z. This "
        "evaluation separates 2 of 3 pairs. "
        "x and y are tied so far: too few items."
    )
    assert said[3].startswith("Items needed for 80 % power, were the gaps those seen: x–y –; x–z ")


def test_one_model_has_nothing_to_be_compared_with():
    said = lines(setup("baseline", x=22), setup("adversarial", x=20), x=AT_CHANCE)
    assert said[2] == (
        "This suite, level adversarial, chosen before the run: x 50 %. One model: nothing to compare."
    )
    assert len(said) == 4


@pytest.mark.parametrize(
    ("shuffled", "verdict"),
    [
        ({"x": AT_CHANCE}, "x 10.0 %, where guessing gives 10.0 %; all at chance (within 20 % of it)."),
        (
            {"x": AT_CHANCE, "y": (0.2, [0.15, 0.25], "above chance")},
            "x 10.0 %, y 20.0 %, where guessing gives 10.0 %; x at chance; y above chance "
            "(within 20 % of it).",
        ),
        ({"x": (None, None, "cannot tell")}, "too few items to say."),
    ],
)
def test_the_control_is_read_against_chance(shuffled, verdict):
    said = lines(None, setup("adversarial", x=20), **shuffled)
    assert said[-1] == f"Control, another unit's summary: {verdict}"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A few packages of the standard library in place of all, so that the demo takes seconds."""
    place, whole = tmp_path_factory.mktemp("library"), Path(sysconfig.get_path("stdlib"))
    for package in ("asyncio", "email", "logging", "unittest"):
        shutil.copytree(whole / package, place / package, ignore=shutil.ignore_patterns("__pycache__"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tellapart.demo.sysconfig", SimpleNamespace(get_path=lambda _: str(place)))
        yield


@pytest.fixture(scope="module")
def two(library, tmp_path_factory):
    """Where two models are compared, and the figures."""
    out = tmp_path_factory.mktemp("demo")
    return out, run_demo(out, ["bm25", "tfidf"], targets=20).figures


@pytest.mark.slow
def test_the_report_the_validation_and_the_audits_say_the_same_and_are_linked(two):
    out, figures = two
    assert {"seconds", "peak_rss_mb", "by_difficulty", "validation", "bias"} <= set(figures)
    run, original = figures["audit"]["this run"], figures["audit"]["the original method"]
    assert figures["comparison"] == run["comparison"]
    primary = figures["comparison"]["primary"]
    assert (primary["scope"], primary["declared"]) == ("difficulty=adversarial", True)
    assert figures["validation"]["comparison"]["primary"] == primary
    before = figures["validation"]["baseline"]["comparison"]["primary"]
    assert before == original["comparison"]["primary"]
    assert [pair["n"] for pair in (*primary["pairs"], *before["pairs"])] == [20, 20]
    report = (out / "report.html").read_text()
    for page in ("audit.html", "audit-original.html"):
        assert f'href="{page}"' in report
        assert 'href="report.html"' in (out / page).read_text()


@pytest.mark.slow
def test_one_model_on_what_was_built_before(two, tellapart):
    out, before = two
    done = tellapart("demo", "--out", out, "--model", "bm25", "--targets", 20, "--json")
    figures = json.loads(done.out)
    assert figures["by_difficulty"] == {
        level: {"bm25": models["bm25"]} for level, models in before["by_difficulty"].items()
    }
    assert (out / "report.html").exists()
    assert figures["audit"] == {}
    assert "comparison" not in figures
