"""A short run of the self-check, and what it says of an audit that is wrong."""

import importlib.util
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tellapart.audit.verdicts import judge

from tellapart.core.comparison import Verdict

PATH = Path(__file__).parents[2] / "benchmarks" / "selfcheck.py"


@pytest.fixture
def selfcheck(monkeypatch):
    spec = importlib.util.spec_from_file_location("selfcheck", PATH)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "selfcheck", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PILOT_ITEMS", 200_000)
    return module


def only(monkeypatch, selfcheck, world):
    for worlds in ("EQUAL", "UNEQUAL", "BARELY"):
        kept = {name: value for name, value in getattr(selfcheck, worlds).items() if name.startswith(world)}
        monkeypatch.setattr(selfcheck, worlds, kept)


def unmet(checks):
    return [re.sub(r"\d+ ", "", check.about).split(":")[0] for check in checks if not check.is_met]


def test_the_audit_passes(selfcheck, monkeypatch, capsys):
    assert not unmet(selfcheck.no_difference(40))
    only(monkeypatch, selfcheck, "graded")
    monkeypatch.delitem(selfcheck.UNEQUAL, "graded, few items")
    assert selfcheck.main(60) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("60 tables a check")
    assert printed.endswith("all met\n")
    assert "no difference: graded, 2 models, 12 items" in printed


def test_an_audit_that_finds_too_much_is_found_out(selfcheck, monkeypatch, capsys):
    only(monkeypatch, selfcheck, "graded")
    monkeypatch.setattr(selfcheck, "UNEQUAL", {})
    monkeypatch.setattr(selfcheck, "judge", lambda grid, options: judge(grid, replace(options, alpha=0.25)))
    # The p before withholding is what it was; only what is made of it is wrong.
    assert unmet(selfcheck.no_difference(100)) == ["no difference"] * 3
    # A fourth more than what matters is taken for it.
    monkeypatch.setattr(selfcheck, "judge", lambda grid, o: judge(grid, replace(o, sesoi=1.25 * o.sesoi)))
    assert unmet(selfcheck.just_not_equivalent(300)) == ["just not equivalent"]
    assert selfcheck.main(300) == 1
    assert "x just not equivalent: graded" in capsys.readouterr().out


def test_an_audit_that_advises_too_few_or_too_many_items_is_found_out(selfcheck, monkeypatch):
    only(monkeypatch, selfcheck, "3 rep")

    def times(factor):
        def advised(grid, options):
            return [
                replace(pair, items_needed=round(factor * (pair.items_needed or 0)))
                for pair in judge(grid, options)
            ]

        return advised

    monkeypatch.setattr(selfcheck, "judge", times(0.6))
    assert unmet(selfcheck.advice(150)) == ["power of the items advised", "items advised"]
    monkeypatch.setattr(selfcheck, "judge", times(1.5))
    assert unmet(selfcheck.advice(150)) == ["items advised"]


def test_an_audit_that_never_finds_equality_is_found_out(selfcheck, monkeypatch):
    only(monkeypatch, selfcheck, "0/1 in clusters")

    def blind(grid, options):
        return [replace(pair, verdict=Verdict.NOT_SEPARATED) for pair in judge(grid, options)]

    monkeypatch.setattr(selfcheck, "judge", blind)
    assert unmet(selfcheck.just_not_equivalent(20)) == ["equal, and said so"]


def test_planted_worlds_are_as_they_are_said_to_be(selfcheck):
    from tellapart.core.randomness import generator

    for name, (gap, draw) in selfcheck.UNEQUAL.items():
        made = draw(generator(1, name), 200_000, gap)
        difference = made.scores[0] - made.scores[1]
        error = difference.std() / 200_000**0.5 * (1.2 if "clusters" in name else 1)
        assert abs(difference.mean() - gap) < 4 * error
        assert 0 <= made.scores.min() <= made.scores.max() <= 1
