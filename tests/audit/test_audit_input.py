"""Whatever is wrong with scores: one paragraph on stderr, exit code 2, never a traceback."""

import io
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[1] / "readers" / "fixtures"
GOOD = "model,item,score\na,1,1\na,2,0\nb,1,0\nb,2,0\n"


def refused(outcome, *parts):
    assert outcome.code == 2, outcome.err
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    (message,) = outcome.err.strip().splitlines()
    assert message.startswith("error: ")
    for part in parts:
        assert str(part) in message


@pytest.fixture
def audit(tellapart, tmp_path):
    """Audit the text of a file."""

    def run(content, *options, name="s.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tellapart("audit", path, *options)

    return run


ROWS = {
    "duplicate rows": ("a,2,0", "a,1,0", "s.csv, row 2: model 'a', item '1'", "first at", "s.csv, row 1"),
    "infinity": ("a,2,0", "a,2,-inf", "row 2", "score -inf has a score that is not finite"),
    "no item": ("a,2,0", "a,,0", "row 2", "1 of 4 rows have no item"),
    "too many fields": ("a,2,0", "a,2,0,1", "s.csv:3: 4 fields, the first line has 3"),
}


@pytest.mark.parametrize(("good", "bad", "parts"), [(g, b, p) for g, b, *p in ROWS.values()], ids=ROWS)
def test_bad_rows(audit, good, bad, parts):
    refused(audit(GOOD.replace(good, bad)), *parts)


TABLES = {
    "one model": ("model,item,score\na,1,1\na,2,0\n", "of one model, 'a'", "several files are read as one"),
    "one item": ("model,item,score\na,1,1\nb,1,0\n", "only one item, '1'"),
    "disjoint items": ("model,item,score\na,1,1\nb,2,0\n", "no item has scores of two models"),
    "all null": (
        "model,item,score,missing\na,1,,parse\na,2,,parse\nb,1,,parse\nb,2,,timeout\n",
        "no model has any score; missing: 3 parse, 1 timeout",
    ),
    "empty": ("", "this file is empty"),
    "binary": (bytes(range(256)), "these scores is not recognised", "Inspect log", "TREC or MS MARCO run"),
    "broken JSON": ('{"model": "a", "item": 1, "score": 1}\n{"model":\n', "s.csv:2:10: this is not JSON"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("content", "parts"), [(c, p) for c, *p in TABLES.values()], ids=TABLES)
def test_bad_tables(audit, content, parts):
    refused(audit(content), *parts)


OPTIONS = {
    "empty column": (["--columns", "model="], "--columns has 'model='", "expected OURS=THEIRS"),
    "limits": (["--limits", "1,0"], "--limits 1,0: expected the lowest and then the highest score"),
    "no limits": (["--limits", ""], "--limits is '', expected LOW,HIGH"),
    "sesoi": (["--sesoi", "-1"], "the smallest difference that matters is -1, expected a number above 0"),
    "no qrels": (["--qrels", "nope"], "nope: cannot read this file: there is no such file"),
    "numbers": (["--by", "weight"], "To group items by a column of numbers, name it: --columns …"),
    "two": (["--model", "a", "--model", "b"], "--model is given 2 times; give it once, or once per file (1)"),
}


@pytest.mark.parametrize(("options", "parts"), [(o, p) for o, *p in OPTIONS.values()], ids=OPTIONS)
def test_bad_options(audit, options, parts):
    refused(audit(GOOD, *options), *parts)


def test_bad_paths(tellapart, tmp_path, monkeypatch):
    refused(tellapart("audit", tmp_path / "none"), tmp_path / "none", "there is no such file. Nothing is in ")
    refused(tellapart("audit", tmp_path), tmp_path, "not a run directory, and no file in it is recognised")
    path = tmp_path / "s.csv"
    path.write_text(GOOD)
    refused(tellapart("audit", path, path), "is given twice")
    other = tmp_path / "t.csv"
    other.write_text(GOOD)

    def closed(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", closed)
    refused(tellapart("audit", path), path, "cannot read this file: permission denied")


def test_nothing_on_standard_input(tellapart, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    refused(tellapart("audit", "-"), "standard input: there is nothing to read")
