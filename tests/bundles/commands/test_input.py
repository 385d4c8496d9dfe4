import json

import pytest

ROW = {"bundle_id": "a", "anchor": "x", "positive": "y", "negatives": ["z", "w"]}


@pytest.fixture
def eval_path(tmp_path):
    path = tmp_path / "e.jsonl"
    rows = [ROW, {**ROW, "bundle_id": "b", "negatives": []}, {**ROW, "anchor": ""}, ROW, {**ROW, "tier": "x"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_bad_rows_stop_a_command_and_are_dropped_on_demand(tellapart, tmp_path, eval_path):
    refused = tellapart("bundles", "score", eval_path, "--model", "bm25", "--out", tmp_path / "s.json")
    assert (refused.code, refused.out) == (2, "")
    assert "4 bad row(s): 1 duplicate id, 1 empty text, 1 no negatives, 1 unknown tier" in refused.err
    for place in (":2: negatives", ":3: anchor", ":4: bundle_id", ":5: tier"):
        assert f"{eval_path}{place}" in refused.err
    assert "Traceback" not in refused.err
    assert not (tmp_path / "s.json").exists()
    done = tellapart("bundles", "convert", eval_path, tmp_path / "o.jsonl", "--skip-invalid", "--json")
    assert done.code == 0, done.err
    dropped = {"duplicate id": 1, "empty text": 1, "no negatives": 1, "unknown tier": 1}
    assert json.loads(done.out)["dropped"] == dropped
    assert "dropped: 1 no negatives" in done.err
    assert json.loads((tmp_path / "o.jsonl").read_text()) == ROW
