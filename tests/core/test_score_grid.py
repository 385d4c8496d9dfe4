import numpy as np
import polars as pl

from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable

NAN = float("nan")


def grid_of(rows, limits=(0.0, 1.0), **columns):
    """A grid from rows of (model, item, score or cause), and further columns."""
    known = [None if isinstance(row[2], str) else row[2] for row in rows]
    causes = [row[2] if isinstance(row[2], str) else None for row in rows]
    frame = pl.DataFrame(
        {
            "model": [row[0] for row in rows],
            "item": [row[1] for row in rows],
            "score": pl.Series(known, dtype=pl.Float64),
            "missing": pl.Series(causes, dtype=pl.String),
            **columns,
        }
    )
    return score_grid(ScoreTable.from_frame(frame, limits=limits))


def same(array, expected):
    np.testing.assert_array_equal(array, np.array(expected, dtype=array.dtype))


def test_models_down_and_items_across_in_ascending_order():
    grid = grid_of([("b", "y", 0.3), ("a", "x", 0.1), ("b", "x", 0.2), ("a", "y", 0.4)])
    assert grid.models == ("a", "b")
    assert grid.items.tolist() == ["x", "y"]
    same(grid.scores, [[0.1, 0.4], [0.2, 0.3]])
    same(grid.answers, [[1, 1], [1, 1]])
    same(grid.low, grid.scores)
    same(grid.high, grid.scores)
    same(grid.gradings, np.ones((2, 2)))
    assert np.isnan(grid.answer_variance).all() and np.isnan(grid.grading_variance).all()
    assert (grid.limits, grid.missing) == ((0.0, 1.0), {"a": {}, "b": {}})


def test_a_cell_is_the_mean_over_its_answers_each_the_mean_over_its_gradings():
    # Answer 0 was graded 1, 0 and 0.5, answer 1 only 1, answer 2 twice 0: means .5, 1 and 0, over all .5.
    rows = [("a", "x", score) for score in (1.0, 0.0, 0.5, 1.0, 0.0, 0.0)]
    grid = grid_of(rows, replicate=[0, 0, 0, 1, 2, 2], grading=[0, 1, 2, 0, 0, 1])
    same(grid.scores, [[0.5]])
    same(grid.answers, [[3]])
    # Between answers: (0 + .25 + .25) / 2. Between gradings: (.25 + .25 + 0) / 2 and 0, the mean of both 1/8.
    same(grid.answer_variance, [[0.25]])
    same(grid.grading_variance, [[0.125]])
    same(grid.gradings, [[2.0]])


def test_bounds_put_the_limits_where_a_score_is_missing():
    # Of x's three answers one is missing; of y's only answer, one grading of two; z's is missing altogether.
    found = [("x", 1.0), ("x", 0.0), ("x", "timeout"), ("y", 0.5), ("y", "judge"), ("z", "parse")]
    rows = [("a", item, score) for item, score in found]
    grid = grid_of(rows, limits=(-1.0, 2.0), replicate=[0, 1, 2, 0, 0, 0], grading=[0, 0, 0, 0, 1, 0])
    same(grid.scores, [[0.5, 0.5, NAN]])
    same(grid.answers, [[2, 1, 0]])
    same(grid.low, [[0.0, -0.25, -1.0]])
    same(grid.high, [[1.0, 1.25, 2.0]])
    same(grid.gradings, [[1.0, 1.0, NAN]])
    assert grid.missing == {"a": {"judge": 1, "parse": 1, "timeout": 1}}


def test_a_model_that_was_never_asked_has_no_bounds():
    grid = grid_of([("a", "x", 1.0), ("b", "y", "budget"), ("b", "x", 0.0)])
    same(grid.scores, [[1.0, NAN], [0.0, NAN]])
    same(grid.low, [[1.0, NAN], [0.0, 0.0]])
    same(grid.high, [[1.0, NAN], [0.0, 1.0]])
    same(grid.answers, [[1, 0], [1, 0]])
    same(grid.attempted, [[True, False], [True, True]])


def test_items_without_a_cluster_are_alone_whatever_the_clusters_are_called():
    # Item "x" has no cluster, and a cluster is called "x"; "y" and "z" share it.
    rows = [("a", item, 1.0) for item in ("w", "x", "y", "z")]
    clusters = grid_of(rows, cluster=[None, None, "x", "x"]).clusters
    assert clusters[2] == clusters[3]
    assert len({*clusters.tolist()}) == 3


def test_strata_sort_items_unless_they_differ_between_answers():
    rows = [("b", "x", 1.0), ("c", "x", 1.0), ("a", "y", 1.0), ("b", "y", 1.0), ("a", "z", 0.0)]
    grid = grid_of(
        rows,
        level=["hard", "hard", "easy", "easy", None],
        reply=["long", "short", "long", "long", "long"],
        partly=["p", None, "p", "p", "p"],
    )
    assert list(grid.strata) == ["level"]
    assert grid.strata["level"].values == ("easy", "hard")
    same(grid.strata["level"].codes, [1, 0, -1])
    assert grid.answer_strata == ("reply", "partly")


def test_some_items_and_some_models():
    rows = [(model, item, score) for model, score in (("a", 0.1), ("b", "parse")) for item in ("x", "y", "z")]
    grid = grid_of(rows, level=["p", "q", "q"] * 2, cluster=["s", "s", "t"] * 2)
    part = grid.only(np.array([False, True, True]))
    assert (part.items.tolist(), part.models) == (["y", "z"], ("a", "b"))
    assert part.strata["level"].values == ("p", "q")
    same(part.strata["level"].codes, [1, 1])
    same(part.clusters, grid.clusters[1:])
    same(part.scores, [[0.1, 0.1], [NAN, NAN]])
    for name in ("answers", "low", "high", "answer_variance", "grading_variance", "gradings"):
        assert getattr(part, name).shape == (2, 2)
    one = grid.of_models([1])
    assert (one.models, one.missing) == (("b",), {"b": {"parse": 3}})
    same(one.scores, [[NAN] * 3])
    same(one.high, [[1.0] * 3])
    assert one.items.tolist() == ["x", "y", "z"]
