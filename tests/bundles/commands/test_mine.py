import json

import pytest


@pytest.fixture
def events(tmp_path, repository, tellapart):
    path = tmp_path / "events.jsonl"
    made = tellapart("contrastive", "events", repository, "--out", path)
    assert made.code == 0, made.err
    assert "50 events" in made.err
    return path


def test_from_a_repository_to_mined_bundles_that_score(tellapart, events, tmp_path):
    out, stats, quarantine = tmp_path / "m.jsonl", tmp_path / "s.json", tmp_path / "q.jsonl"
    words = [
        "--model",
        "lsa",
        "--threshold",
        "0.05",
        "--out",
        out,
        "--stats",
        stats,
        "--quarantine",
        quarantine,
    ]
    mined = tellapart("bundles", "mine", events, *words, "--json")
    assert mined.code == 0, mined.err
    figures = json.loads(mined.out)
    assert figures == json.loads(stats.read_text())
    # Twenty-five functions of two texts each: two ordered pairs.
    assert (figures["events"], figures["candidates_tested"]) == (50, 50)
    assert sum(figures["pass_distribution"].values()) == 50
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) == figures["accepted"] > 0
    assert [row["bundle_id"] for row in rows] == sorted(row["bundle_id"] for row in rows)
    scored = tellapart("bundles", "score", out, "--model", "bm25", "--out", tmp_path / "b.json", "--json")
    assert json.loads(scored.out)["overall"]["n"] == figures["accepted"]
    again = tellapart("bundles", "mine", events, *words, "--engine", "local", "--workers", 2)
    assert f"Accepted {figures['accepted']} of 50 candidates" in again.out
    assert [json.loads(line) for line in out.read_text().splitlines()] == rows


def test_tier_3_of_a_benchmark_calibrates(tellapart, events, tiny_bench, tmp_path):
    existing = tmp_path / "eval.jsonl"
    made = tellapart("contrastive", "bundles", tiny_bench, "--out", existing)
    assert (made.code, "20 bundles" in made.err) == (0, True)
    words = ["--model", "hashing", "--existing", existing, "--threshold", "calibrate"]
    mined = tellapart("bundles", "mine", events, *words, "--out", tmp_path / "m.jsonl", "--json")
    assert "calibrated: threshold" in mined.err
    board = tellapart(
        "bundles", "score", existing, "--model", "hashing", "--out", tmp_path / "b.json", "--json"
    )
    # Margin is minus danger, so that the 90th percentile of danger is the 10th of margin.
    assert json.loads(mined.out)["threshold"] == pytest.approx(
        -json.loads(board.out)["overall"]["q10_margin"], abs=1e-11
    )
