import json

import pytest

ROWS = [
    {"bundle_id": f"b{i}", "anchor": fox, "positive": f"{fox} runs", "negatives": ["blue whale"]}
    for i, fox in enumerate(f"red fox {n}" for n in range(6))
]


@pytest.fixture
def eval_path(tmp_path):
    path = tmp_path / "e.jsonl"
    write(path, ROWS)
    return path


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_the_natural_path_ends_in_a_gate_that_can_fire(tellapart, tmp_path):
    bundles = tmp_path / "bundles.jsonl"
    words = ["alpha", "beta", "gamma", "delta"]
    rows = [
        {
            "bundle_id": f"b{i}",
            "anchor": f"{words[i % 4]} {i} {words[i % 3]}",
            "positive": f"{words[i % 4]} {i} {i * 7}",
            "negatives": [f"{words[i % 3]} {i} {i + 1}", f"{words[(i + 1) % 4]} {i * 7}"],
        }
        for i in range(120)
    ]
    write(bundles, rows)
    eval_path, boards = tmp_path / "eval.jsonl", [tmp_path / f"{name}.json" for name in ("bm25", "tfidf")]
    for models in (["bm25"], ["bm25", "tfidf", "lsa"]):
        options = [word for name in models for word in ("--model", name)]
        assert tellapart("bundles", "tier", bundles, *options, "--out", eval_path).code == 0
        for board in boards:
            assert tellapart("bundles", "score", eval_path, "--model", board.stem, "--out", board).code == 0
        done = tellapart("bundles", "compare", *boards, "--max-drop", 0.02, "--json")
        gate = json.loads(done.out)["gate"]
        assert gate["can_fire"] and done.code in (0, 3, 4)
        assert gate["scope"] == "all items"
        assert (
            "The gate is on all bundles: " in tellapart("bundles", "compare", *boards, "--max-drop", 0.02).out
        )


def test_extend_says_where_it_wrote(tellapart, tmp_path, eval_path):
    assert tellapart("bundles", "freeze", eval_path, "--version", "v1").code == 0
    write(longer := tmp_path / "longer.jsonl", [*ROWS, {**ROWS[0], "bundle_id": "new"}])
    done = tellapart("bundles", "extend", eval_path, longer, "--version", "v2")
    assert (done.code, f"wrote {longer}.version.json" in done.err) == (0, True)
    done = tellapart("bundles", "extend", eval_path, longer, "--version", "v2", "--out", tmp_path / "v2.json")
    assert (done.code, f"wrote {tmp_path}/v2.json" in done.err) == (0, True)
    assert (tmp_path / "v2.json").read_bytes() == longer.with_name("longer.jsonl.version.json").read_bytes()
