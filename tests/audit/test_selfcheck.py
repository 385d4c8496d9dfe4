"""A short run of the self-check: no interval contradicts its verdict."""

import importlib
import sys
from pathlib import Path

import pytest

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
