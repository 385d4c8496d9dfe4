import json

import polars as pl
import pytest

from bundles.page.stored_boards import load
from tellapart.errors import InputError


def test_scores_that_the_scoreboard_was_not_written_with_are_refused(paths):
    scores = paths[0].with_name("alpha.scores.parquet")
    pl.read_parquet(scores).with_columns(pl.col("margin") + 1e-12).write_parquet(scores)
    with pytest.raises(InputError, match="not the scores that alpha.json was written with.*bundles score"):
        load(paths)


def test_a_scoreboard_of_an_earlier_version_is_refused_in_one_sentence(paths):
    board = json.loads(paths[0].read_text())
    board["overall"]["recall5"] = 0.5
    del board["scores_hash"]
    paths[0].write_text(json.dumps(board))
    with pytest.raises(InputError, match=r"an earlier version wrote it.*Score the eval again"):
        load(paths)
