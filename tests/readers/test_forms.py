import json

import pytest

from tellapart.errors import InputError
from tellapart.readers import read_scores
from tellapart.readers.forms import reader_of
from tellapart.readers.settings import ReadingSettings


@pytest.fixture
def write(tmp_path):
    def to(name, content):
        path = tmp_path / name
        path.write_text(content)
        return path

    return to


@pytest.mark.parametrize(
    ("name", "start", "complaint"),
    [
        (
            "s.xlsx",
            b"PK\x03\x04",
            "cannot read this workbook: .*",
        ),
        ("s.csv", "model,item".encode("utf-16"), "is UTF-16, expected scores. Save it as UTF-8"),
        ("s.csv", b"model,item,score\na,x,1\na,y\0,1\n", "csv:3: .* this line holds a NUL byte"),
        ("s.db", b"SQLite format 3\0", "cannot read this database: "),
        ("s.csv.gz", b"\x1f\x8b\x08", "is compressed with gzip, expected scores. Unpack it"),
    ],
)
def test_common_files_that_hold_no_table_are_named(tmp_path, name, start, complaint):
    (tmp_path / name).write_bytes(start)
    with pytest.raises(InputError, match=complaint):
        read_scores([tmp_path / name])


def test_figures_of_whole_runs_are_refused_with_the_command_that_takes_them(write):
    sweep = write("sweep.json", json.dumps({"capsules": [{"condition": "a", "overall": {}}]}))
    board = write("a.json", json.dumps({"eval_header": {}, "overall": {}}))
    for path in (sweep, board):
        with pytest.raises(InputError, match=f"figures of whole runs.*tellapart bundles seeds {path}"):
            reader_of(path, ReadingSettings())
    scores = write("a.scores.parquet", "")
    with pytest.raises(InputError, match=f"tellapart audit {scores}"):
        reader_of(board, ReadingSettings())
    # A table that has such words among its values, or columns beside those of scores, is a table.
    rows = write("rows.json", json.dumps({"rows": [{"model": "capsules", "item": "i", "score": 1}]}))
    assert reader_of(rows, ReadingSettings()).NAME == "table"
