"""Tables are read whatever their files are called."""

import os
import zipfile

import polars as pl
import pytest

from tellapart.errors import InputError
from tellapart.files.tables import Kind, kind_of, read_table
from tellapart.store.tables import read_frame, read_notes, write_frame

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


def test_a_damaged_file_is_named(tmp_path, capfd):
    damaged = tmp_path / "damaged.parquet"
    frame = pl.DataFrame({"model": ["a"] * 6, "item": list("abcdef"), "score": [1.0, 0, 1, 0, 1, 0]})
    frame.write_parquet(damaged, compression="uncompressed", statistics=False)
    data = bytearray(damaged.read_bytes())
    # In the header of a page, how many values it has: Polars panics.
    data[32] ^= 1
    damaged.write_bytes(data)
    with pytest.raises(InputError, match=f"{damaged}: damaged or cut off: not a whole Parquet file"):
        read_frame(damaged)
    # Nor is there a trace of it, which is printed past Python.
    assert capfd.readouterr().err == ""
    os.write(2, b"after")
    assert capfd.readouterr().err == "after"


def test_a_column_that_is_not_there_is_named(tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="x.parquet: there is no column 'b'"):
        read_frame(tmp_path / "x.parquet", ["b"])


FILLED = "<row r='1'><c r='A1'><v>1</v></c></row>"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (f"{FILLED}<row r='1048576'><c r='XFD1048576'><v>1</v></c></row>", "1,048,576 rows and 16,384"),
        (f"<row>{'<c><v>1</v></c>' * 20}</row><row r='1048576'><c><v>1</v></c></row>", "and 20 columns"),
        ("<c r='A1'><is><t>" + " " * 2**28 + "</t></is></c>", "268,43.,... bytes unpacked"),
        ("<row><c>", "cannot read this workbook: mismatched tag"),
        # A cell with a form and no value takes no room.
        (f"{FILLED}<row r='1048576'><c r='XFD1048576' s='1'/></row>", "cannot read this workbook: "),
    ],
)
def test_a_workbook_that_would_fill_the_memory_is_refused_before_it_is_read(tmp_path, content, complaint):
    sheet = f"<worksheet><sheetData>{content}</sheetData></worksheet>"
    with zipfile.ZipFile(tmp_path / "x.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    with pytest.raises(InputError, match=f"x.xlsx: .*{complaint}"):
        read_table(tmp_path / "x.xlsx", Kind.INSIDE)
