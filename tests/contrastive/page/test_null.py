"""Where no model is better, readers are told of a difference as seldom as promised."""

import importlib.util
import re
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tellapart.contrastive import building, running
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.page import load
from tellapart.contrastive.page.sections import headline, sentences
from tellapart.contrastive.selection.levels import levels_named
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable

PATH = Path(__file__).parents[3] / "benchmarks" / "permuted_run.py"
PACKAGE = Path(__file__).parents[2] / "contrastive" / "fixtures" / "package"
CLAIM = re.compile(r"\bbeats?\b|\bahead\b|\bleads?\b|\bseparates (?!none)", re.IGNORECASE)
TABLES = 200


@pytest.fixture(scope="module")
def permuted_run():
    spec = importlib.util.spec_from_file_location("permuted_run", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def first_lines(view, comparison):
    """The title of the page and the two lines below it."""
    shown = replace(view)
    shown.__dict__["comparison"] = comparison
    return [headline(shown), *sentences(shown)[:2]]


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    """A run on the small package of the suite's tests, with models that differ on many items."""
    root = tmp_path_factory.mktemp("small")
    options = BuildOptions(targets=60, levels=levels_named(["easy", "hard"]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TELLAPART_CACHE", str(root / "vectors.sqlite"))
        building.freeze(building.draft([PACKAGE], options), root / "bench")
        return running.run(root / "bench", ["bm25", "hashing", "lsa"], out=root / "run")


def by_target(run):
    """The run's scores, every target a source of its own, since six files are too few for a claim."""
    target = pl.col("item").str.split_exact("/", 1).struct.field("field_1")
    return score_grid(ScoreTable.from_frame(run.scores().frame.with_columns(cluster=target)))


def test_of_a_run_without_a_difference_one_in_twenty_is_claimed(small_run, permuted_run):
    view, claimed = load(small_run), []

    def is_claimed(comparison):
        found = any(CLAIM.search(line) for line in first_lines(view, comparison))
        assert found == bool(comparison.primary.separated)
        claimed.append(found)
        return found

    share = permuted_run.share_of_claims(
        by_target(small_run), is_claimed, tables=TABLES, settings=view.settings
    )
    assert len(claimed) == TABLES
    assert 0 < share <= 0.05 + 2 * sqrt(0.05 * 0.95 / TABLES)


def test_a_run_with_a_difference_is_claimed(small_run, permuted_run):
    view, grid = load(small_run), by_target(small_run)
    better = np.vstack([np.ones(len(grid.items)), np.zeros(len(grid.items)), grid.scores[2:]])
    lines = first_lines(view, permuted_run.compare(replace(grid, scores=better, low=better, high=better)))
    assert CLAIM.search(lines[0])
