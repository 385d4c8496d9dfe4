import json

import pytest

from object_store import BUCKET, names
from spreads import open_in_process
from tellapart.bundles import run
from tellapart.bundles.run import score
from tellapart.engines import EngineOptions
from tellapart.errors import TellapartError


def bundle(number):
    texts = {"anchor": f"parse the {number % 7}", "positive": f"parse row {number}"}
    return {
        "bundle_id": f"b{number:03}",
        **texts,
        "negatives": [f"merge {number}", f"count {number % 5} rows"],
    }


def parts():
    """Three files of an eval, in whose names letters and folders are in another order than in paths."""
    rows = [json.dumps(bundle(number)) for number in range(90)]
    files = {"a.jsonl": rows[:30], "a/x.jsonl": rows[30:60], "b.jsonl": rows[60:]}
    return {name: "".join(f"{row}\n" for row in lines).encode() for name, lines in files.items()}


@pytest.mark.parametrize(
    ("source", "out", "message"),
    [
        ("one.jsonl", "/one.jsonl", "one.jsonl: this file is an input and would be lost"),
        ("one.jsonl", "//one.jsonl", "one.jsonl: this file is an input and would be lost"),
        ("one.scores.parquet", "/one.json", "one.json: this file is an input and would be lost"),
        ("parts", "/parts/board.json", "would lie in the folder of the eval"),
        ("one.jsonl", "", "this names no object.* --out s3://bucket/scoreboard.json"),
        ("one.jsonl", "/dir/", "this names no object.* --out s3://bucket/dir/scoreboard.json"),
        ("", "/board.json", "would lie in the folder of the eval"),
        ("bad.jsonl", "/board.json", "^s3://bucket/bad.jsonl: damaged or cut off"),
    ],
)
def test_what_must_not_be_written_or_read_there_is_refused(s3, tmp_path, monkeypatch, source, out, message):
    monkeypatch.chdir(tmp_path)
    s3.put_object(Bucket=BUCKET, Key="one.jsonl", Body=(json.dumps(bundle(1)) + "\n").encode())
    s3.put_object(Bucket=BUCKET, Key="bad.jsonl", Body=b"PAR1")
    before = names(s3)
    with pytest.raises(TellapartError, match=message):
        score(f"s3://{BUCKET}/{source}".rstrip("/"), f"s3://{BUCKET}{out}", model="bm25")
    assert names(s3) == before and not list(tmp_path.iterdir())


def test_an_eval_in_an_object_store_gives_what_it_gives_here(s3, tmp_path):
    for name, data in parts().items():
        s3.put_object(Bucket=BUCKET, Key=f"parts/{name}", Body=data)
        path = tmp_path / "parts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    engine = EngineOptions(workers=1)
    there = f"s3://{BUCKET}"
    remote = score(f"{there}/parts", f"{there}/out/board.json", model="bm25", engine=engine)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "open_spread", open_in_process)
        here = score(tmp_path / "parts", tmp_path / "out" / "board.json", model="bm25", engine=engine)

    assert remote.board.overall == here.board.overall and remote.board.by_tier == here.board.by_tier
    assert remote.board.eval_header.fingerprint == here.board.eval_header.fingerprint
    assert remote.warnings == here.warnings
    written = {name: s3.get_object(Bucket=BUCKET, Key=name)["Body"].read() for name in names(s3)}
    results = {name: data for name, data in written.items() if not name.startswith("parts/")}
    beside = sorted((tmp_path / "out").rglob("*"))
    expected = {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in beside if path.is_file()}
    board = "out/board.json"
    assert sorted(results) == sorted(expected) == [board, "out/board.scores.parquet"]
    assert {name for name in results if results[name] != expected[name]} == {board}
    assert json.loads(results[board]) == remote.board.model_dump(mode="json")
