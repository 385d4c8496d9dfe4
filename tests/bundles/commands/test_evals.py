import json

import pytest

ROWS = [
    {
        "bundle_id": f"b{i}",
        "anchor": f"red fox {i}",
        "positive": f"red fox {i} runs",
        "negatives": ["blue whale"],
    }
    for i in range(6)
]


@pytest.fixture
def eval_path(tmp_path):
    path = tmp_path / "e.jsonl"
    write(path, ROWS)
    return path


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_score_prints_a_table_and_the_fingerprint(tellapart, eval_path, tmp_path):
    made = tellapart("bundles", "score", eval_path, "--model", "hashing", "--out", tmp_path / "b.json")
    assert made.code == 0, made.err
    header = json.loads((tmp_path / "b.json").read_text())["eval_header"]
    assert f"EVAL_FINGERPRINT: {header['source_hash']}|42|6" in made.out
    assert "hashing on" in made.out
    assert "Tier3 adversarial" in made.out
    assert "no bundles" in made.out
    assert "warning: this eval has no tiers" in made.err


def test_score_prints_the_scoreboard_as_json(tellapart, eval_path, tmp_path):
    made = tellapart(
        "bundles", "score", eval_path, "--model", "hashing", "--out", tmp_path / "b.json", "--json",
        "--name", "mine", "--checkpoint", "c", "--seed", 3,
    )  # fmt: skip
    record = json.loads(made.out)
    assert record == json.loads((tmp_path / "b.json").read_text())
    assert (record["model"], record["checkpoint_path"], record["eval_header"]["seed"]) == ("mine", "c", 3)
    assert f"EVAL_FINGERPRINT: {record['eval_header']['fingerprint']}" in made.err


def test_score_wants_one_source_of_vectors(tellapart, eval_path):
    made = tellapart("bundles", "score", eval_path)
    assert (made.code, made.err) == (2, "error: give either --model NAME or --embeddings VECTORS.\n")


def test_tier_and_freeze_and_score(tellapart, eval_path, tmp_path):
    tiered = tmp_path / "t.jsonl"
    made = tellapart("bundles", "tier", eval_path, "--model", "hashing", "--out", tiered, "--json")
    counts = json.loads(made.out)["tier_distribution"]
    assert sum(counts.values()) == 6
    assert f"wrote {tiered}" in made.err
    shown = tellapart("bundles", "tier", eval_path, "--model", "hashing", "--out", tiered)
    assert "Highest danger" in shown.out
    frozen = tellapart("bundles", "freeze", tiered, "--version", "v24", "--seed", 7, "--json")
    record = json.loads(frozen.out)
    assert (record["version"], record["tier_distribution"]) == ("v24", counts)
    board = tellapart("bundles", "score", tiered, "--model", "hashing", "--out", tmp_path / "b", "--json")
    header = json.loads(board.out)["eval_header"]
    assert (header["version"], header["fingerprint"]) == ("v24", record["fingerprint"])


def test_the_natural_path_ends_in_a_gate_that_can_fire(tellapart, tmp_path):
    bundles = tmp_path / "bundles.jsonl"
    words = ["alpha", "beta", "gamma", "delta"]
    rows = [
        {
            "bundle_id": f"b{i}",
            "anchor": f"{words[i % 4]} {i} {words[i % 3]}",
            "positive": f"{words[i % 4]} {i * 7}",
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
