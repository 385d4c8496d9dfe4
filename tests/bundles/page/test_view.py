import polars as pl
import pytest

from bundles.page.stored_boards import load
from tellapart.errors import InputError


def test_scores_that_the_scoreboard_was_not_written_with_are_refused(paths):
    scores = paths[0].with_name("alpha.scores.parquet")
    pl.read_parquet(scores).with_columns(pl.col("margin") + 1e-12).write_parquet(scores)
    with pytest.raises(InputError, match="not the scores that alpha.json was written with.*bundles score"):
        load(paths)
