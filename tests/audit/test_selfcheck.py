"""A short run of the self-check, and what it says of comparisons that are wrong."""

import importlib
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tellapart.core.comparison.compare import compare, primary_family

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def script(monkeypatch, name):
    """Import a benchmark as a fresh module, which imports its neighbours."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for module in (name, "worlds"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return importlib.import_module(name)


@pytest.fixture
def selfcheck(monkeypatch):
    module = script(monkeypatch, "selfcheck")
    monkeypatch.setattr(module, "PILOT_ITEMS", 200_000)
    yield module
    sys.modules.pop("selfcheck", None)
    sys.modules.pop("worlds", None)


@pytest.fixture
def random_tables(monkeypatch):
    yield script(monkeypatch, "random_tables")
    sys.modules.pop("random_tables", None)
    sys.modules.pop("worlds", None)


def judge(grid, settings):
    return list(primary_family(grid, settings).pairs)


def only(monkeypatch, selfcheck, world):
    for worlds in ("EQUAL", "UNEQUAL", "BARELY", "SHOWN"):
        kept = {name: value for name, value in getattr(selfcheck, worlds).items() if name.startswith(world)}
        monkeypatch.setattr(selfcheck, worlds, kept)


def unmet(checks):
    return [re.sub(r"\d+ ", "", check.about).split(":")[0] for check in checks if not check.is_met]


@pytest.mark.slow
def test_an_audit_that_finds_too_much_is_found_out(selfcheck, monkeypatch, capsys):
    only(monkeypatch, selfcheck, "graded")
    monkeypatch.setattr(selfcheck, "UNEQUAL", {})
    monkeypatch.setattr(selfcheck, "judge", lambda grid, options: judge(grid, replace(options, alpha=0.25)))
    # The p before withholding is what it was; only what is made of it is wrong.
    assert unmet(selfcheck.no_difference(100)) == ["no difference"] * 3
    # A fourth more than what matters is taken for it.
    monkeypatch.setattr(selfcheck, "judge", lambda grid, o: judge(grid, replace(o, sesoi=1.25 * o.sesoi)))
    assert unmet(selfcheck.just_not_equivalent(300)) == ["just not equivalent"]
    assert selfcheck.main(300, "equivalence") == 1
    assert "x just not equivalent: graded" in capsys.readouterr().out


@pytest.mark.slow
def test_random_tables_contradict_nothing(random_tables, capsys):
    assert random_tables.main(300) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("300 tables, ")
    assert printed.endswith("\nno contradiction\n")


@pytest.fixture
def labels(monkeypatch):
    yield script(monkeypatch, "labels")
    sys.modules.pop("labels", None)
    sys.modules.pop("worlds", None)


def test_labels_take_a_judge_s_bias_out_in_every_world(labels, monkeypatch):
    for name in ("0/1", "graded, 4 models", "0/1, 20 sources", "0/1, labels with unequal chances"):
        by_judge, corrected = labels.claims(labels.FALSE[name], 20, name)
        assert by_judge > 0.5 > 0.25 >= corrected, name
    covered, width = labels.intervals(labels.World(kappa=0.9, bias=0.0, alike=0.0), 40, "a good judge")
    assert covered >= 0.85
    assert width < 0.71
    # It sees the bias that stays where labels are not used.
    monkeypatch.setattr(labels, "compare", lambda table, **more: compare(replace(table, human=None), **more))
    by_judge, corrected = labels.claims(labels.FALSE["0/1"], 20, "0/1")
    assert corrected == by_judge
