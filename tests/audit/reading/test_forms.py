import json
import sys

import pytest

from tellapart.audit.reading import item_texts, read_scores
from tellapart.audit.reading.forms import all_forms
from tellapart.audit.reading.reader import Choices
from tellapart.audit.reading_settings import ReadingSettings
from tellapart.errors import InputError, UsageError

READER = """
import polars as pl
from tellapart.audit.reading.reader import LogScores

NAME = "tally"
TAKES = ("model",)

def recognises(path):
    return path.suffix == ".tally"

def read(path, choices):
    rows = [line.split("=") for line in path.read_text().split()]
    items, scores = zip(*rows)
    model = choices.model or path.stem
    return LogScores(pl.DataFrame({"model": model, "item": items, "score": list(map(float, scores))}))
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a package with one module that is a reader, as pip leaves it."""

    def install(name, source):
        site = tmp_path / f"site-{name}"
        facts = site / f"{name}-1.0.dist-info"
        facts.mkdir(parents=True)
        (site / f"{name}.py").write_text(source)
        (facts / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
        (facts / "entry_points.txt").write_text(f"[tellapart.readers]\n{name} = {name}\n")
        monkeypatch.syspath_prepend(site)

    yield install
    for name in [name for name in sys.modules if name.startswith("tally_")]:
        del sys.modules[name]


@pytest.fixture
def write(tmp_path):
    def to(name, content):
        path = tmp_path / name
        path.write_text(content)
        return path

    return to


def test_a_reader_of_a_package_gives_texts_if_it_has_them(installed, write):
    asked = "from tellapart.audit.reading.texts import Answered, RowTexts\n"
    texts = """
def texts(path, choices):
    return RowTexts([("q1", "yes")], lambda answer: Answered(path.stem, "Is it?", "", answer))
"""
    installed("tally_texts", f"{READER.replace('tally', 'said')}{asked}{texts}")
    shown = item_texts([write("a.said", "q1=1 q2=0")])
    assert {item: [part.text for part in parts] for item, parts in shown.items()} == {"q1": ["Is it?", "yes"]}
    installed(
        "tally_silent", f"{READER.replace('tally', 'silent')}\ndef texts(path, choices):\n    return 1 / 0\n"
    )
    with pytest.raises(InputError, match="the reader 'tally_silent' of the package 'tally_silent' failed"):
        item_texts([write("a.silent", "q1=1")])


def test_a_package_adds_a_reader(installed, write):
    installed("tally_good", READER)
    one, two = write("a.tally", "q1=1 q2=0"), write("b.tally", "q1=0 q2=0")
    reading = read_scores([one, two], ReadingSettings(models=("a", "c")))
    assert reading.forms == {str(one): "tally", str(two): "tally"}
    assert reading.table.models == ["a", "c"]
    assert [form.NAME for form in all_forms().readers][-2:] == ["tally", "table"]


def test_a_form_of_this_package_is_read_by_this_package(installed, write):
    installed("tally_greedy", READER.replace('path.suffix == ".tally"', "True"))
    with pytest.raises(UsageError, match="--qrels"):
        read_scores([write("r.run", "q1 Q0 d1 1 0.5 sys\n")])
    with pytest.raises(InputError, match="r.csv: the reader 'tally_greedy' of the package .* failed"):
        read_scores([write("r.csv", "model,item,score\na,1,1\n")])


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("import nothing_of_this_name", "cannot be loaded: ModuleNotFoundError"),
        ("NAME = 'x'", "lacks one of NAME, TAKES, recognises and read"),
        (READER.replace('path.suffix == ".tally"', "1 / 0"), "failed to look at .*ZeroDivisionError"),
    ],
)
def test_a_broken_reader_is_named_and_breaks_no_other_file(installed, write, source, fault):
    installed("tally_bad", source)
    with pytest.raises(InputError, match=f"The reader 'tally_bad' of the package 'tally_bad' {fault}"):
        read_scores([write("a.tally", "q1=1 q2=0")])
    reading = read_scores([write("s.csv", "model,item,score\na,1,1\n")])
    assert reading.table.models == ["a"]
    (note,) = reading.notes
    assert "tally_bad" in note


@pytest.mark.parametrize(
    ("name", "start", "complaint"),
    [
        (
            "s.xlsx",
            b"PK\x03\x04",
            "a zip archive, expected scores. .* save the sheet as CSV",
        ),
        ("s.csv", "model,item".encode("utf-16"), "is UTF-16, expected scores. Save it as UTF-8"),
        ("s.csv", b"model,item,score\na,x,1\na,y\0,1\n", "csv:3: .* this line holds a NUL byte"),
        ("s.db", b"SQLite format 3\0", "is an SQLite database, expected scores. Export"),
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
            all_forms().of(path, Choices())
    scores = write("a.scores.parquet", "")
    with pytest.raises(InputError, match=f"tellapart audit {scores}"):
        all_forms().of(board, Choices())
    # A table that has such words among its values, or columns beside those of scores, is a table.
    rows = write("rows.json", json.dumps({"rows": [{"model": "capsules", "item": "i", "score": 1}]}))
    assert all_forms().of(rows, Choices()).NAME == "table"
