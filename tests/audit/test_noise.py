import polars as pl
import pytest

from tellapart.audit.analysis import components
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.core.stats.paired_parts import variance_components

LIMITS = (0.0, 10.0)


def grid_of(rows, *more):
    frame = pl.DataFrame(rows, schema=["model", "item", "score", *more], orient="row")
    return score_grid(ScoreTable.from_frame(frame.with_columns(pl.col("score").cast(float)), limits=LIMITS))


def test_single_answers_leave_replicates_and_gradings_unknown():
    # Means 4 and 3 of models, 2 and 5 of items, grand mean 3.5, what is left +-0.5 (see the core's test).
    found = components(grid_of([("a", "x", 2), ("a", "y", 6), ("b", "x", 2), ("b", "y", 4)]))
    assert found.model_item == pytest.approx(1)
    assert found.item == pytest.approx(4)
    assert found.model == pytest.approx(0, abs=1e-12)
    assert (found.replicate, found.grading) == (None, None)
    assert "no item was answered or graded twice, so model × item includes the noise" in found.reason


def test_an_estimate_below_zero_is_zero_and_said():
    # Cell means as above, answers one off both ways: variance 2, of which half is in a cell's mean.
    rows = [("a", "x", 2), ("a", "y", 6), ("b", "x", 2), ("b", "y", 4)]
    rows = [(m, i, s + away, k) for m, i, s in rows for k, away in enumerate((-1.5, 1.5))]
    grid = grid_of(rows, "replicate")
    found = components(grid)
    assert found.replicate == 4.5
    assert variance_components(grid).model_item == pytest.approx(1 - 4.5 / 2)
    assert found.model_item == 0
    # Still as if the estimate below 0 had been taken: the mean squares are 9 and 1.
    assert found.item == pytest.approx((9 - 1) / 2)
    assert "the estimate for model × item is below 0 and is given as 0" in found.reason
    assert "no answer was graded twice, so the noise of answers includes that of gradings" in found.reason
    assert "models and items cannot" not in found.reason
