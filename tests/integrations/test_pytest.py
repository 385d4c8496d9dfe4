"""The plugin, in real runs of pytest that find it by its entry point."""

import json
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

import tellapart as ta
from tellapart.errors import UsageError
from tellapart.integrations.pytest import assert_not_worse

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]

TESTS = """
from tellapart.integrations.pytest import assert_not_worse as gate

def test_worse(assert_not_worse):
    assert_not_worse("main.csv", "worse.csv", max_drop=0.02)

def test_as_good(assert_not_worse):
    assert assert_not_worse("main.csv", "main2.csv", max_drop=0.1).passed

def test_unclear(assert_not_worse):
    assert_not_worse("few.csv", "few2.csv", max_drop=0.02)

def test_by_import():
    gate("main.csv", "worse.csv", max_drop=0.02)
"""


def scores(model, n, share, seed):
    drawn = np.random.default_rng(seed)
    right = drawn.permutation(np.arange(n) < round(share * n))
    return "model,item,score\n" + "".join(f"{model},q{i},{int(one)}\n" for i, one in enumerate(right))


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    good = (400, 0.8)
    sizes = {"main": good, "main2": good, "worse": (400, 0.6), "few": (30, 0.8), "few2": (30, 0.77)}
    directory = tmp_path_factory.mktemp("tables")
    for model, (n, share) in sizes.items():
        (directory / f"{model}.csv").write_text(scores(model, n, share, seed=n))
    return directory


@pytest.fixture(scope="module")
def compared(tables):
    """Made before pytester, which makes the process forget the modules that are imported after it."""
    return ta.compare(tables / "main.csv", tables / "worse.csv", max_drop=0.02)


@pytest.fixture
def project(tables, compared, pytester, monkeypatch):
    """A folder with scores, where tellapart is installed with the entry points of ``pyproject.toml``."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    info = pytester.mkdir("site") / "tellapart-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tellapart\nVersion: 0.1.0\n")
    (info / "RECORD").write_text("")
    lines = [f"{name} = {module}" for name, module in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[pytest11]", *lines]))
    monkeypatch.setenv("PYTHONPATH", f"{info.parent}:{ROOT / 'src'}")
    copytree(tables, pytester.path, dirs_exist_ok=True)
    pytester.makepyfile(test_gates=TESTS)
    return pytester


@pytest.mark.process
@pytest.mark.slow
def test_a_gate_is_a_test_and_leaves_its_figures_for_junit(project, compared):
    run = project.runpytest_subprocess("-p", "no:cacheprovider", "-rs", "-W", "error", "--junitxml=junit.xml")
    run.assert_outcomes(passed=1, failed=2, skipped=1)
    first = compared.verdict
    assert first.startswith("FAILED. worse is worse than main. It scored 20 points lower on 400 items; ")
    for text in (f"E*AssertionError: {first}", "E*tellapart compare main.csv worse.csv --max-drop 0.02"):
        run.stdout.fnmatch_lines([text.replace("[", "[[]")])
    assert "src/tellapart" not in run.stdout.str()
    run.stdout.fnmatch_lines(["SKIPPED*Unclear. Cannot tell whether few2 *"])

    cases = {case.get("name"): case for case in ET.parse(project.path / "junit.xml").iter("testcase")}
    properties = {
        name: {one.get("name"): one.get("value") for one in case.iter("property")}
        for name, case in cases.items()
    }
    gate = compared.record.gate
    worse = properties["test_worse"]
    assert worse.keys() == {"verdict", "difference", "interval", "n"}
    assert (worse["verdict"], worse["n"]) == ("failed", "400")
    assert float(worse["difference"]) == pytest.approx(-0.2) == -gate.drop
    assert json.loads(worse["interval"]) == [-gate.interval[1], -gate.interval[0]]
    assert properties["test_as_good"]["verdict"] == "unchanged"
    assert properties["test_unclear"]["verdict"] == "unclear"
    assert properties["test_by_import"] == {}
    assert "Unclear" in cases["test_unclear"].find("skipped").get("message")


@pytest.mark.process
def test_a_run_without_gates_imports_nothing_for_them(project):
    project.makepyfile(
        test_gates="""
        import sys

        def test_nothing_is_imported():
            ours = {name for name in sys.modules if name.startswith("tellapart")}
            assert ours == {"tellapart", "tellapart.integrations", "tellapart.integrations.pytest"}
            assert not {"polars", "numpy", "pydantic", "scipy"} & set(sys.modules)
        """
    )
    project.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:xdist").assert_outcomes(passed=1)


def test_a_gate_that_cannot_tell_fails_or_passes_if_it_shall():
    few = [
        {model: {f"q{i}": (i + shift) % 3 > 0 for i in range(12)}} for model, shift in (("a", 0), ("b", 1))
    ]
    assert assert_not_worse(*few, max_drop=0.02, on_unclear="pass").passed is None
    with pytest.raises(AssertionError, match="Unclear"):
        assert_not_worse(*few, max_drop=0.02, on_unclear="fail")
    with pytest.raises(UsageError, match="Did you mean 'skip'"):
        assert_not_worse(*few, max_drop=0.02, on_unclear="skipp")
