import json
import platform
import shutil
import sysconfig
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from tellapart.core.comparison import ComparisonSettings, compare
from tellapart.core.scores import ScoreTable
from tellapart.demo import needed, run_demo


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
    alone = compare(ScoreTable.from_frame(table.frame.filter(difficulty="original")))
    pool = compare(table, ComparisonSettings(by="difficulty", primary=("difficulty", "pool")))
    pool = replace(pool, primary=replace(pool.primary, declared=True))
    apart, equal = needed(table, pool)
    by_original, by_pool = (
        {pair.a + pair.b: pair for pair in comparison.primary.pairs} for comparison in (alone, pool)
    )
    assert [by_pool[pair].is_separated for pair in ("xy", "xz", "yz")] == [True, False, True]
    items, before = by_pool["yz"].items_needed, by_original["yz"].items_needed
    assert apart.startswith("To tell z from y, the closest of these, takes so many items")
    assert items.value < 40 and before.value is None
    assert f"– by the original method, {items.value} (" in apart
    interval = by_pool["xz"].interval_95
    widest = 100 * max(abs(interval.low), abs(interval.high))
    assert equal == f"x and z may be equal: no two differ by more than {widest:.1f} points."
    assert needed(table, None) == []


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
    asked, headline, *of_designs, curve, control, names = made.conclusion
    assert f"standard library of Python {platform.python_version()}, names masked" in asked
    assert headline.startswith("On pool items, ")
    assert "by the original method" in of_designs[0] or "may be equal" in of_designs[0]
    assert curve.startswith("Right, from the worst model to the best: original ")
    assert control.startswith("Control, another unit's summary")
    assert names.startswith("The name alone answers ")
    assert 'href="audit.html"' in made.report.read_text()
    done = tellapart("demo", "--out", out, "--model", "bm25", "--targets", 20, "--json")
    again = json.loads(done.out)
    assert again["fingerprint"] == figures["fingerprint"]
    assert again["audit"] == {}
