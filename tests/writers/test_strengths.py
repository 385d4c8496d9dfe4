from math import log

import numpy as np
import polars as pl
import pytest

pytest.importorskip("evalica")

from tellapart.writers.verdicts import NO_END, ONE_SIDED, bradley_terry


def strengths(*rows):
    """Of rows (a, b, what a got in either order, how often), each pair in a file of its own."""
    pairs = [(a, b, one, other) for a, b, one, other, times in rows for _ in range(times)]
    frame = pl.DataFrame(pairs, schema=["a", "b", "a_first", "a_second"], orient="row")
    frame = frame.with_columns(pl.format("f{}.py", pl.int_range(pl.len())).alias("path"))
    return bradley_terry(frame, rng=np.random.default_rng(0), resamples=200)


def test_two_writers_by_hand_with_intervals_over_files():
    # 30 of 40 points: the odds are 3, so the strengths are half of log 3 either side of 0.
    found = strengths(("x", "y", 1.0, 1.0, 10), ("x", "y", 1.0, 0.0, 10))
    assert [found[name].value for name in "xy"] == pytest.approx([log(3) / 2, -log(3) / 2])
    assert 0 < found["x"].low < log(3) / 2 < found["x"].high
    assert found["y"].low == pytest.approx(-found["x"].high) and found["x"].n == 20
    assert {one.value for one in strengths(("x", "y", 0.5, 0.5, 5)).values()} == {0}
    assert strengths() == {}


def test_no_finite_strengths_where_somebody_never_gets_a_point_from_the_others():
    apart = strengths(("x", "y", 1.0, 0.0, 3), ("x", "z", 1.0, 1.0, 3), ("y", "z", 1.0, 1.0, 3))
    assert {(one.value, one.reason) for one in apart.values()} == {(None, ONE_SIDED)}
    # One lost file in ten is in 35 % of resamples not drawn: a value, but no interval.
    few = strengths(("x", "y", 1.0, 1.0, 9), ("x", "y", 0.0, 0.0, 1))
    assert few["x"].value == pytest.approx(log(9) / 2)
    assert (few["x"].interval, few["x"].reason) == (None, NO_END)
