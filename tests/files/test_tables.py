"""Tables are read whatever their files are called."""

import os
import subprocess
import sys

import polars as pl
import pytest

from tellapart.errors import InputError
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


_READS = """
import os, sys, threading
from pathlib import Path
import polars as pl
from tellapart.errors import InputError
from tellapart.errors import InputError
from tellapart.files.tables import from_parquet
def read(source):
    os.write(2, b"of others\\n")
    return pl.read_parquet(source)
for path in map(Path, sys.argv[1:]):
    try:
        print(from_parquet(path, read).height)
    except InputError as error:
        print(error)
"""


@pytest.mark.process
def test_a_panic_of_polars_is_an_error_about_the_file_and_prints_nothing(tmp_path):
    whole, damaged = tmp_path / "whole.parquet", tmp_path / "damaged.parquet"
    frame = pl.DataFrame({"model": ["a"] * 6, "item": list("abcdef"), "score": [1.0, 0, 1, 0, 1, 0]})
    frame.write_parquet(whole, compression="uncompressed", statistics=False)
    data = bytearray(whole.read_bytes())
    # In the header of a page, how many values it has.
    data[32] ^= 1
    damaged.write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", _READS, damaged, whole], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        f"{damaged}: damaged or cut off: not a whole Parquet file (what it says of itself does not hold). "
        "Write or copy it again.",
        "6",
    ]
    assert done.stderr == "of others\n"


def test_a_column_that_is_not_there_is_named(tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="x.parquet: there is no column 'b'"):
        read_frame(tmp_path / "x.parquet", ["b"])
