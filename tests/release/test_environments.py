"""What counts as a downgrade, and whose it is; nothing is resolved."""

import importlib
from pathlib import Path

import pytest
from packaging.version import Version

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def environments(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("environments")


def versions(**pins):
    return {name: Version(version) for name, version in pins.items()}


def test_a_version_that_falls_is_a_downgrade_and_a_package_that_is_gone_is_none(environments):
    before = versions(numpy="2.10.1", torch="2.9", six="1.17")
    after = versions(numpy="2.9.3", torch="2.10", click="8")
    assert environments.downgrades(before, after) == ("numpy 2.10.1 -> 2.9.3",)


def test_what_an_extras_own_packages_do_is_not_held_against_tellapart(environments):
    alone, with_inspect = versions(fsspec="2026.9"), versions(fsspec="2026.6")
    verdict = environments.judge(alone, with_inspect, with_inspect)
    assert (verdict.ours, verdict.theirs) == ((), ("fsspec 2026.9 -> 2026.6",))
    further = environments.judge(alone, with_inspect, versions(fsspec="2026.5"))
    assert further.ours == ("fsspec 2026.6 -> 2026.5",)


def test_what_does_not_fit_is_ours_unless_it_does_not_fit_without_us(environments):
    alone = versions(openai="2.54")
    assert environments.judge(alone, alone, "No solution found").ours == ("No solution found",)
    assert environments.judge(alone, "No solution found", "No solution found").ours == ()


def test_versions_are_read_from_what_the_resolver_prints(environments):
    lines = "numpy==2.4.6\ntellapart @ file:///somewhere\ntorch==2.13.0+cpu ; python_version > '3'\n"
    assert dict(environments.pinned(lines)) == versions(numpy="2.4.6", torch="2.13.0+cpu")


def test_without_an_index_nothing_is_checked_and_that_is_said(environments, monkeypatch, capsys):
    def offline(*_, **__):
        raise environments.NoIndexError("no route")

    monkeypatch.setattr(environments, "resolve", offline)
    assert environments.main(["--python", "3.12", "--extra", "core"]) == 0
    assert capsys.readouterr().out == (
        "skipped: no package index can be reached, so nothing was checked (no route)\n"
    )


def test_every_extra_that_brings_something_is_checked(environments, project):
    optional = set(project["optional-dependencies"]) - {"all", "dev", "bench", "release", "minilm"}
    assert set(environments.EXTRAS) == optional | {"core"}
    assert (
        tuple(classifier.rsplit(" ", 1)[1] for classifier in project["classifiers"] if ":: 3." in classifier)
        == environments.PYTHONS
    )
