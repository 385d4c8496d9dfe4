"""Worlds of known truth: what is drawn is what was asked for, and a larger table holds the smaller."""

import polars as pl
import pytest

from support.simulation import World

TWO = {"a": 0.5, "b": 0.0}
KEY = ["model", "item", "replicate", "grading"]


def means(table) -> dict[str, float]:
    return dict(table.frame.group_by("model").agg(pl.col("score").mean()).iter_rows())


def test_larger_table_holds_the_smaller() -> None:
    world = World(3, TWO, slope=1.0, grader_error=0.2, taste=0.5, points=2, kinds={"x": 0.0, "y": 1.0})
    small = world.table(11, replicates=2, gradings=2).frame
    large = world.table(40, replicates=3, gradings=3).frame
    both = small.join(large, on=KEY, suffix="_large")
    assert both.height == small.height == 2 * 11 * 2 * 2
    assert both["score"].equals(both["score_large"].rename("score"))


def test_means_are_the_expected_ones() -> None:
    # slope 10 and spread 1: a's rate is about P(difficulty < .5) = .69; 20,000 items know it to .003.
    world = World(5, TWO)
    found = means(world.table(20_000))
    assert world.expected("b") == pytest.approx(0.5, abs=1e-9)
    assert found["a"] == pytest.approx(world.expected("a"), abs=0.012)
    assert found["b"] == pytest.approx(0.5, abs=0.012)


def test_backward_items_score_wrong_answers_1() -> None:
    right, turned = World(1, TWO).table(200).frame, World(1, TWO, backward=1.0).table(200).frame
    assert turned["score"].to_list() == [1 - score for score in right["score"]]
    some = World(1, TWO, backward=0.25).table(4000).frame
    changed = (some["score"] != World(1, TWO).table(4000).frame["score"]).to_numpy().reshape(2, -1)
    assert (changed[0] == changed[1]).all()
    assert changed[0].mean() == pytest.approx(0.25, abs=0.03)


def test_grader_turns_the_share_of_gradings_it_is_told_to() -> None:
    key = World(1, TWO).table(5000, gradings=2).frame["score"]
    graded = World(1, TWO, grader_error=0.2).table(5000, gradings=2).frame["score"]
    assert (key != graded).mean() == pytest.approx(0.2, abs=0.01)


def test_answers_of_flat_items_differ_and_of_steep_items_hardly() -> None:
    def differing(slope: float) -> float:
        frame = World(1, TWO, slope=slope).table(2000, replicates=2).frame
        first, second = (frame.filter(pl.col("replicate") == k)["score"] for k in (0, 1))
        return (first != second).mean()

    assert differing(1.0) > 0.3
    assert differing(100.0) < 0.02


def test_lost_answers_are_missing_by_whether_they_are_right_and_there_when_asked_again() -> None:
    world = World(1, TWO, lost={"a": (1.0, 0.0)})
    frame, again = world.table(500).frame, world.table(500, asked_again=True).frame
    a = frame.filter(pl.col("model") == "a")
    assert a["score"].drop_nulls().unique().to_list() == [1.0]
    assert set(a.filter(pl.col("score").is_null())["missing"]) == {"timeout"}
    assert frame.filter(pl.col("model") == "b")["score"].null_count() == 0
    assert again["score"].null_count() == 0
    assert again.equals(World(1, TWO).table(500).frame)


def test_items_are_shared_among_kinds_first_kinds_getting_what_is_left_over() -> None:
    world = World(1, TWO, kinds={"easy": -3.0, "hard": 3.0})
    assert world.counts(5) == {"easy": 3, "hard": 2}
    table = world.table({"hard": 300, "easy": 300})
    rates = dict(table.frame.group_by("kind").agg(pl.col("score").mean()).iter_rows())
    assert rates["easy"] > 0.98
    assert rates["hard"] < 0.02


def test_items_of_a_cluster_share_a_source_and_tastes() -> None:
    # Without spread and with steep items only the taste decides, so items of a cluster score alike.
    world = World(1, {"a": 0.0}, spread=0.0, taste=1.0, slope=1e6, cluster_size=4)
    frame = world.table(400).frame
    assert frame["cluster"].n_unique() == 100
    assert frame.group_by("cluster").agg(pl.col("score").n_unique())["score"].max() == 1
    assert 0.3 < frame["score"].mean() < 0.7
