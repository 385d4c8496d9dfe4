import copy

import pytest

from codesearch.page.recorded_search import recorded, rescored, write
from tellapart.codesearch.page import load


@pytest.fixture
def stored():
    """What an evaluation says, to be changed at will."""
    return rescored(recorded())


@pytest.fixture
def view(stored, tmp_path):
    return load(write(stored, tmp_path / "stored"))


@pytest.fixture
def viewed(tmp_path):
    """Read what a record says when it lies on the disk."""
    return lambda record: load(write(copy.deepcopy(record), tmp_path / "viewed"))


@pytest.fixture
def looped(tmp_path, stored):
    """A loop of two iterations, the second one worse."""
    directory = tmp_path / "loop"
    for number in (1, 2):
        write(stored | {"iteration_number": number}, directory / f"iteration-{number}")
    write(history(), directory, "history.json")
    return directory


def figure(value):
    return {
        "macro": value,
        "interval": [value - 0.1, value + 0.1],
        "interval_reason": None,
        "bounds": [value, value],
        "conversations": 6,
        "missing": {},
    }


def history():
    first = {
        "iteration": 1,
        "explorers": {"run_a": "lexical", "run_b": "names"},
        "conversations": 6,
        "reliable": True,
        "measures": {"precision": figure(0.75), "recall": figure(0.8)},
    }
    second = first | {
        "iteration": 2,
        "reliable": False,
        "measures": {"precision": figure(0.5), "recall": figure(0.8)},
        "same_files": False,
        "same_explorers": True,
        "same_ground_truth": False,
    }
    gate = {
        "area": "billing", "measure": "precision", "against_iteration": 1, "outcome": "failed",
        "drop": 0.25, "interval": [0.1, 0.4], "n": 6,
    }  # fmt: skip
    return {
        "iterations": [first, second],
        "gates": [gate],
        "notes": [],
        "stopped": {"reason": "regression", "iteration": 2, "text": "Billing fell: roll back."},
    }
