"""Tables are read whatever their files are called."""

import os

import polars as pl
import pytest

from tellapart.files.tables import Kind, kind_of, polars_source, read_table
from tellapart.store.frames import read_frame, read_notes, write_frame

NAMES = (b"runs[1]", b"what?", b"all*", b"caf\xe9", "größe".encode())


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_no_pattern_and_need_not_be_utf8(name, tmp_path):
    place = tmp_path / os.fsdecode(name)
    place.mkdir()
    frame = pl.DataFrame({"model": ["a"], "score": [1.0]})
    write_frame(place / "s.parquet", frame)
    (place / "s.csv").write_text("model,score\na,1.0\n")
    assert read_frame(place / "s.parquet").equals(frame)
    assert read_frame(place / "s.parquet", ["model"]).columns == ["model"]
    assert read_notes(place / "s.parquet") == type(read_notes(place / "s.parquet"))()
    for path in (place / "s.parquet", place / "s.csv"):
        assert read_table(path, Kind(kind_of(path))).cast(pl.String).rows() == [("a", "1.0")]


def test_an_ordinary_file_is_not_read_into_memory(tmp_path):
    assert polars_source(tmp_path / "größe, 2.parquet") == tmp_path / "größe, 2.parquet"
