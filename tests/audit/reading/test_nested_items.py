import polars as pl
import pytest

from tellapart.audit.reading import read_scores
from tellapart.errors import InputError


def test_items_that_are_lists_are_refused(tmp_path):
    path = tmp_path / "scores.parquet"
    pl.DataFrame({"model": ["a", "b"], "item": [["1"], ["1"]], "score": [0.0, 1.0]}).write_parquet(path)
    with pytest.raises(InputError, match=r"'item' is \['1'\], which is of the wrong type, expected a string"):
        read_scores([path])


def test_scores_that_are_objects_are_refused(tmp_path):
    path = tmp_path / "scores.parquet"
    pl.DataFrame({"model": ["a", "b"], "item": ["1", "1"], "score": [{"x": 1}, {"x": 2}]}).write_parquet(path)
    with pytest.raises(InputError, match=r"'score' is \{'x': 1\}, which is of the wrong type"):
        read_scores([path])
