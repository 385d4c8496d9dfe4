"""Every chart says what to conclude, names its axes, and draws what the record holds."""

import numpy as np
import polars as pl
import pytest

from contrastive.page.shown import words
from reference.pairs import items_needed
from tellapart.contrastive.page import charts
from tellapart.report.charts import WIDE


def test_accuracy_draws_points_intervals_and_chance(view):
    drawn = charts.accuracy_chart(view).draw(WIDE)
    points = next(layer.data for layer in drawn.layer if layer.mark.type == "point" and "low" in layer.data)
    found = {
        (row["line"], round(row["x"])): (row["y"], row["low"], row["high"])
        for row in points.filter(pl.col("line") != "chance").to_dicts()
    }
    assert found == {
        ("beta", 0): (50.0, 15.0, 85.0),
        ("alpha", 0): (75.0, 30.0, pytest.approx(95.4)),
        ("gamma", 0): (25.0, 25.0, 25.0),
        ("beta", 1): (75.0, 30.0, pytest.approx(95.4)),
        ("alpha", 1): (50.0, 15.0, 85.0),
    }
    chance = points.filter(line="chance")["y"].to_list()
    assert chance == [pytest.approx(20.0), pytest.approx(10.0)]


def test_items_needed_are_those_of_the_comparison(view):
    shown = words(charts.items_needed_chart(view.comparison, view.levels))
    # gamma answers nothing at hard, and alpha and beta score the same over all items.
    assert shown.count("not tested") == 2
    assert shown.count("no number") == 1
    # Of 40, one answers so many more right; three pairs are open over all items, two at some level.
    needed = {
        str(
            items_needed(
                k / 40, np.std([1.0] * k + [0.0] * (40 - k), ddof=1), 40, exact=True, alpha=0.05 / left
            )
        )
        for k, left in ((22, 3), (12, 3), (22, 2), (12, 2), (10, 2))
    }
    assert needed | {"all", "easy", "hard"} <= set(shown)
