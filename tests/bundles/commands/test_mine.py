import json

import pytest


@pytest.fixture
def events(tmp_path, repository, tellapart):
    path = tmp_path / "events.jsonl"
    made = tellapart("contrastive", "events", repository, "--out", path)
    assert made.code == 0, made.err
    assert "50 events" in made.err
    return path


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
