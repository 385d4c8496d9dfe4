"""How often each command opens its eval: once to read it, and once more where its bytes are hashed."""

import io
import json

import polars as pl
import pytest

ROWS = [
    {"bundle_id": f"b{i}", "anchor": f"red {i}", "positive": f"red {i} one", "negatives": ["blue", "green"]}
    for i in range(12)
]


@pytest.fixture(params=["e.jsonl", "e.json", "e.csv", "e.parquet"])
def eval_path(request, tmp_path):
    path = tmp_path / request.param
    if path.suffix == ".parquet":
        pl.DataFrame(ROWS).write_parquet(path)
    elif path.suffix == ".csv":
        lines = [f"{row['anchor']},{row['positive']},{','.join(row['negatives'])}\n" for row in ROWS]
        path.write_text("".join(["anchor,positive,negative_1,negative_2\n", *lines]))
    else:
        lines = [json.dumps(row) for row in ROWS]
        path.write_text("\n".join(lines) if path.suffix == ".jsonl" else f"[{','.join(lines)}]")
    return path


@pytest.fixture
def opened(monkeypatch):
    names, read, scan = [], io.open, pl.scan_parquet

    def counting(file, *args, **options):
        names.append(str(file))
        return read(file, *args, **options)

    def scanning(source, **options):
        # A path would be opened by Polars, past Python.
        assert not isinstance(source, str) and not hasattr(source, "suffix"), source
        return scan(source, **options)

    monkeypatch.setattr(io, "open", counting)
    monkeypatch.setattr(pl, "scan_parquet", scanning)
    return names


def test_each_command_reads_its_eval_once(tellapart, tmp_path, eval_path, opened):
    def opens(*words, of=eval_path):
        opened.clear()
        done = tellapart("bundles", *words)
        assert done.code in (0, 1, 3, 4), done.err
        return opened.count(str(of))

    first, second = tmp_path / "a.json", tmp_path / "b.json"
    model = ("--model", "bm25")
    assert opens("tier", eval_path, *model, "--out", tmp_path / "t.jsonl") == 1
    assert opens("lint", eval_path) == 1
    assert opens("convert", eval_path, tmp_path / "c.jsonl") == 1
    assert opens("pool", "split", eval_path, "--out", tmp_path / "x.jsonl", tmp_path / "y.jsonl") == 1
    # Once for the hash, which names the eval.
    assert opens("score", eval_path, *model, "--out", first) == 2
    assert opens("freeze", eval_path, "--version", "v1") == 2
    assert opens("score", eval_path, *model, "--out", second) == 2
    assert opens("compare", first, second) <= 2
    assert opens("report", first, second) <= 2
    assert opens("canary", first) <= 2


def test_extending_reads_either_version_twice_at_most(tellapart, tmp_path, opened):
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    lines = [json.dumps(row) + "\n" for row in ROWS]
    old.write_text("".join(lines[:-1]))
    new.write_text("".join(lines))
    assert tellapart("bundles", "freeze", old, "--version", "v1").code == 0
    opened.clear()
    assert tellapart("bundles", "extend", old, new, "--version", "v2").code == 0
    assert (opened.count(str(old)), opened.count(str(new))) == (2, 2)
