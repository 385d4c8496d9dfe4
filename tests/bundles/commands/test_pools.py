import json

from bundles.lint.questions import clean_rows, write_rows


def test_split_prints_both_parts(tellapart, tmp_path):
    source = write_rows(tmp_path / "pool.jsonl", clean_rows())
    parts = tmp_path / "train.jsonl", tmp_path / "holdout.jsonl"
    made = tellapart("bundles", "pool", "split", source, "--share", 0.5, "--out", *parts)
    assert made.code == 0, made.err
    assert "No anchor is in both parts, or nearly the same. The largest group has 1 bundle." in made.out
    record = json.loads(
        tellapart("bundles", "pool", "split", source, "--share", 0.5, "--out", *parts, "--json").out
    )
    assert [record[name]["bundles"] for name in ("train", "holdout")] == [
        len(path.read_text().splitlines()) for path in parts
    ]
