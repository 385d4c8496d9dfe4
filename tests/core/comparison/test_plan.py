"""What may be said of items not yet asked."""

import math

import polars as pl
import pytest

from tellapart.core.comparison import compare
from tellapart.core.scores import ScoreTable


@pytest.mark.parametrize(("limits", "known"), [((1.0, math.inf), False), ((1.0, 3.0), True)])
def test_where_no_item_differs_only_the_range_says_what_more_would_show(limits, known):
    rows = [{"model": model, "item": str(i), "score": 1.0 + i % 3} for model in "ab" for i in range(9)]
    (pair,) = compare(ScoreTable.from_frame(pl.DataFrame(rows), limits=limits)).primary.pairs
    assert pair.p == 1.0
    assert (pair.settle_items is not None, pair.chance is not None) == (known, known)
