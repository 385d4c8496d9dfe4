"""Where no model remembers more, readers are told of a difference as seldom as promised."""

import sys
from math import sqrt
from pathlib import Path

import pytest

from tellapart.core.comparison import compare
from tellapart.core.score_grid import score_grid
from tellapart.longcontext.page import load

TABLES = 200


@pytest.fixture(scope="module")
def null():
    folder = str(Path(__file__).parents[3] / "benchmarks")
    sys.path.insert(0, folder)
    import longcontext_null

    yield longcontext_null
    sys.path.remove(folder)


@pytest.fixture(scope="module")
def graded(null, tmp_path_factory):
    return null.write_graded_run(tmp_path_factory.mktemp("graded"))


def test_of_a_run_without_a_difference_one_in_twenty_is_claimed(graded, null):
    share = null.share_of_claims(graded, TABLES)
    assert 0 < share <= 0.05 + 2 * sqrt(0.05 * 0.95 / TABLES)


def test_the_run_itself_has_a_difference_and_it_is_claimed(graded, null):
    view, grid = load(graded.path), score_grid(graded.scores())
    assert null.claims(view, compare(grid))
    alike = compare(grid.of_models([0, 1]))
    assert null.claims(view, alike) == bool(alike.primary.separated)
