"""A short run of the self-checks: no interval contradicts its verdict, and labels correct a judge."""

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tellapart.core.comparison.compare import compare

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.slow
def test_random_tables_contradict_nothing(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for name in ("random_tables", "worlds"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert importlib.import_module("random_tables").main(300) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("300 tables, ")
    assert printed.endswith("\nno contradiction\n")


@pytest.mark.slow
def test_labels_take_a_judge_s_bias_out_in_every_world(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for name in ("labels", "worlds"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    labels = importlib.import_module("labels")
    for name in ("0/1", "graded, 4 models", "0/1, 20 sources", "0/1, labels with unequal chances"):
        by_judge, corrected = labels.claims(labels.FALSE[name], 20, name)
        assert by_judge > 0.5 > 0.25 >= corrected, name
    # It sees the bias that stays where labels are not used.
    monkeypatch.setattr(labels, "compare", lambda table, **more: compare(replace(table, human=None), **more))
    by_judge, corrected = labels.claims(labels.FALSE["0/1"], 20, "0/1")
    assert corrected == by_judge
