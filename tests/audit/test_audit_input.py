"""Whatever is wrong with scores: one paragraph on stderr, exit code 2, never a traceback."""

import io
import json
from pathlib import Path

import polars as pl
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
    "text": ("a,2,0", "a,2,good", "row 2: 'score' is 'good'", "expected a number"),
    "no model": ("a,2,0", ",2,0", "row 2", "1 of 4 rows have no model"),
    "no item": ("a,2,0", "a,,0", "row 2", "1 of 4 rows have no item"),
    "too many fields": ("a,2,0", "a,2,0,1", "s.csv:3: 4 fields, the first line has 3"),
}


@pytest.mark.parametrize(("good", "bad", "parts"), [(g, b, p) for g, b, *p in ROWS.values()], ids=ROWS)
def test_bad_rows(audit, good, bad, parts):
    refused(audit(GOOD.replace(good, bad)), *parts)


TABLES = {
    "one model": (
        "model,item,score\na,1,1\na,2,0\n",
        "of one model, 'a'",
        "several files are read as one table",
    ),
    "one item": ("model,item,score\na,1,1\nb,1,0\n", "only one item, '1'"),
    "disjoint items": ("model,item,score\na,1,1\nb,2,0\n", "no item has scores of two models"),
    "all null": (
        "model,item,score,missing\na,1,,parse\na,2,,parse\nb,1,,parse\nb,2,,timeout\n",
        "no model has a score, and it takes two models to compare",
    ),
    "empty": ("", "this file is empty"),
    "no rows": ("model,item,score\n", "no rows"),
    "binary": (
        bytes(range(256)),
        "the form of these scores is not recognised",
        "Inspect log",
        "TREC or MS MARCO run",
    ),
    "not UTF-8": (GOOD.encode().replace(b"b,2", b"b,\xe9"), "s.csv:5:3: is not UTF-8: byte 0xe9"),
    "broken JSON": ('{"model": "a", "item": 1, "score": 1}\n{"model":\n', "s.csv:2:10: this is not JSON"),
    "cut Parquet": (b"PAR1\0\0\0", "damaged or cut off: not a whole Parquet file"),
    "an object": ('{\n "a": 1\n}\n', "the form of these scores is not recognised"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("content", "parts"), [(c, p) for c, *p in TABLES.values()], ids=TABLES)
def test_bad_tables(audit, content, parts):
    refused(audit(content), *parts)


OPTIONS = {
    "columns": (["--columns", "model:a"], "there is no column 'model:a'", "Did you mean 'model'?"),
    "empty column": (["--columns", "model="], "--columns has 'model='", "expected OURS=THEIRS"),
    "limits": (["--limits", "1,0"], "--limits 1,0: expected the lowest and then the highest score"),
    "no limits": (["--limits", ""], "--limits is '', expected LOW,HIGH"),
    "sesoi": (["--sesoi", "-1"], "the smallest difference that matters is -1, expected a number above 0"),
    "metric": (
        ["--metric", "f1"],
        "s.csv: there is no metric 'f1'. No column names metrics",
    ),
    "no qrels": (["--qrels", "nope"], "nope: there is no such file"),
    "numbers": (
        ["--by", "weight"],
        "There is none. To group items by a column of numbers, name it: --columns …",
    ),
    "models": (
        ["--model", "a", "--model", "b"],
        "--model is given 2 times; give it once, or once per file (1)",
    ),
}


@pytest.mark.parametrize(("options", "parts"), [(o, p) for o, *p in OPTIONS.values()], ids=OPTIONS)
def test_bad_options(audit, options, parts):
    refused(audit(GOOD, *options), *parts)


def test_two_runs_of_one_model_are_compared_unless_they_repeat_each_other(tellapart, tmp_path):
    path, other = tmp_path / "s.csv", tmp_path / "t.csv"
    path.write_text(GOOD)
    other.write_text(GOOD)
    two = tellapart("audit", path, other, "--json")
    assert two.code == 0
    assert "'model (file)'. If they are replicates, give --replicates." in two.err
    assert json.loads(two.out)["models"] == ["a (s)", "a (t)", "b (s)", "b (t)"]
    repeated = tellapart("audit", path, other, "--replicates", "--json")
    assert (repeated.err, json.loads(repeated.out)["models"]) == ("", ["a", "b"])


def test_bad_paths(tellapart, tmp_path, monkeypatch):
    refused(tellapart("audit", tmp_path / "none"), tmp_path / "none", "no such file or directory")
    refused(tellapart("audit", tmp_path), tmp_path, "not a run directory, and no file in it is recognised")
    path = tmp_path / "s.csv"
    path.write_text(GOOD)
    refused(tellapart("audit", path, path), "is given twice")
    other = tmp_path / "t.csv"
    other.write_text(GOOD)

    def closed(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", closed)
    refused(tellapart("audit", path), path, "cannot read this file: Permission denied")


def test_nothing_on_standard_input(tellapart, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    refused(tellapart("audit", "-"), "standard input: there is nothing to read")


def test_standard_input_and_files_in_any_form(tellapart, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    other = tmp_path / "c.parquet"
    pl.DataFrame({"who": ["c", "c"], "q": [1, 2], "points": [1, 1]}).write_parquet(other)
    trec = FIXTURES / "trec"
    done = tellapart(
        "audit", "-", trec / "bm25.run", trec / "minilm.run", "--qrels", trec / "qrels.txt", "--json"
    )
    assert done.code == 0, done.err
    assert json.loads(done.out)["models"] == ["a", "all-MiniLM-L6-v2", "b", "bm25s"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(other.read_bytes())))
    named = "model=who,item=q,score=points"
    refused(tellapart("audit", "-", "--columns", named), "of one model, 'c'")


def test_columns_limits_and_strata(audit):
    content = "who,q,points,level\na,1,80,7\na,2,10,8\na,3,10,8\nb,1,90,7\nb,2,20,8\nb,3,30,8\n"
    named = "model=who,item=q,score=points,level"
    done = audit(content, "--columns", named, "--limits", "-inf,100", "--by", "level", "--json")
    assert done.code == 0, done.err
    figures = json.loads(done.out)
    assert list(figures["by_stratum"]) == ["level"]
    assert figures["limits"] == [None, 100]
    assert figures["comparison"]["primary"]["pairs"][0]["difference"] == pytest.approx(-40 / 3)
