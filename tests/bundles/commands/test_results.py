import json

from bundles.stored import HASH, write_board


def test_pareto_of_different_evals_is_refused_with_one(tellapart, tmp_path):
    paths = [write_board(tmp_path, name, [0.1, -0.1], seed=seed) for name, seed in (("a", 1), ("b", 2))]
    asked = ["bundles", "pareto", *paths, "--metric", "pass_rate", "--metric", "mrr", "--json"]
    refused = tellapart(*asked)
    assert (refused.code, refused.out) == (1, "")
    assert f"{HASH}|1|2" in refused.err
    assert f"{HASH}|2|2" in refused.err
    allowed = json.loads(tellapart(*asked, "--allow-fingerprint-mismatch").out)
    assert allowed["exploratory"] is True
    assert allowed["frontier"] == ["a", "b"]
