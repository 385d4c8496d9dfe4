import json
import platform
import shutil
import sysconfig
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from tellapart.core.comparison import compare, to_json
from tellapart.core.scores import ScoreTable
from tellapart.demo import DESIGNS, _needed, compare_designs, run_demo


def scores(**right):
    """Models that answer the first so many of 40 items of each design in as many files, by design."""
    rows = [
        {"model": model, "item": f"{design}/{i}", "score": float(i < n), "difficulty": design}
        for design, by_model in right.items()
        for model, n in by_model.items()
        for i in range(40)
    ]
    return ScoreTable.from_frame(pl.DataFrame(rows))


def test_the_closest_pair_has_its_items_needed_by_each_design_and_the_others_how_equal_they_may_be():
    table = scores(original={"x": 22, "y": 20, "z": 20}, pool={"x": 20, "y": 8, "z": 19})
    designs = compare_designs(table)
    alone = compare(ScoreTable.from_frame(table.frame.filter(difficulty="original")))
    assert list(designs) == ["original", "pool"]
    assert designs["original"] == alone
    apart, equal = _needed(designs)
    by_original, by_pool = (
        {(pair.a, pair.b): pair for pair in designs[name].primary.pairs} for name in designs
    )
    assert [by_pool[pair].is_separated for pair in (("x", "y"), ("x", "z"), ("y", "z"))] == [
        True,
        False,
        True,
    ]
    needed, before = by_pool["y", "z"].items_needed, by_original["y", "z"].items_needed
    assert apart.startswith("To tell z from y, the closest of these, takes so many items")
    assert needed.value < 40 and before.value is None
    assert f"– by the original method, {needed.value} (" in apart
    interval = by_pool["x", "z"].interval_95
    widest = 100 * max(abs(interval.low), abs(interval.high))
    assert equal == f"x and z may be equal: no two differ by more than {widest:.1f} points."


def test_one_model_has_nothing_to_be_compared_with():
    assert _needed(compare_designs(scores(pool={"x": 20}))) == []


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A few packages of the standard library in place of all, so that the demo takes seconds."""
    place, whole = tmp_path_factory.mktemp("library"), Path(sysconfig.get_path("stdlib"))
    for package in ("asyncio", "email", "logging", "unittest"):
        shutil.copytree(whole / package, place / package, ignore=shutil.ignore_patterns("__pycache__"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tellapart.demo.sysconfig", SimpleNamespace(get_path=lambda _: str(place)))
        yield


@pytest.mark.slow
def test_the_report_the_designs_and_the_audit_say_the_same(library, tellapart, tmp_path):
    out = tmp_path / "demo"
    made = run_demo(out, ["bm25", "hashing"], targets=20)
    figures = made.figures
    assert figures["comparison"] == figures["audit"]["comparison"]
    primary = figures["comparison"]["primary"]
    assert (primary["scope"], primary["declared"]) == ("difficulty=pool", True)
    assert tuple(figures["designs"]) == DESIGNS
    assert [pair["n"] for design in figures["designs"].values() for pair in design["primary"]["pairs"]] == [
        20
    ] * 3
    assert figures["designs"]["pool"]["primary"]["pairs"] == primary["pairs"]
    asked, headline, *needed, curve, control, names = made.conclusion
    assert f"standard library of Python {platform.python_version()}, names masked" in asked
    assert headline.startswith("On pool items, ")
    assert "by the original method" in needed[0] or "may be equal" in needed[0]
    assert curve.startswith("Right, from the worst model to the best: original ")
    assert control.startswith("Control, another unit's summary")
    assert names.startswith("The name alone answers ")
    assert 'href="audit.html"' in made.report.read_text()
    done = tellapart("demo", "--out", out, "--model", "bm25", "--targets", 20, "--json")
    again = json.loads(done.out)
    assert again["fingerprint"] == figures["fingerprint"]
    assert (again["audit"], again["designs"]) == ({}, {})
    assert to_json(
        compare_designs(ScoreTable.from_frame(pl.read_parquet(made.run / "scores.parquet")))["pool"]
    )
