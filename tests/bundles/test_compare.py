import json

import polars as pl
import pytest

from bundles.stored import HASH, broken_1, write_board
from tellapart.bundles.compare import compare
from tellapart.bundles.results import scores_path
from tellapart.errors import InputError, Refused

OTHER = "fedcba9876543210"
MIXED = ["tier1_easy", "tier1_easy", "tier3_adversarial", "tier3_adversarial"]


@pytest.fixture
def stored(tmp_path):
    """Write a scoreboard and its scores."""
    return lambda name, *args, **more: write_board(tmp_path, name, *args, **more)


@pytest.fixture
def pair(stored):
    a = stored("a", [0.1, 0.2, 0.3, 0.4], MIXED, model="old")
    return a, stored("b", [0.1, -0.2, 0.3, -0.5], MIXED, model="new")


def test_margins_of_different_units_have_no_difference(stored):
    a = stored("tfidf", [0.1, 0.2, 0.3, 0.4], MIXED)
    b = stored("bm25", [1.0, -2.0, 3.0, -4.0], MIXED, similarity="bm25")
    overall = compare(a, b).model_dump(mode="json")["tiers"]["overall"]
    for name in ("mean_margin", "median_margin", "q10_margin", "q90_margin"):
        assert overall[name]["delta"] is None
        assert overall[name]["reason"] == (
            "margins of tfidf are in units of cosine, those of bm25 in units of bm25"
        )
    assert (overall["pass_rate"]["delta"], overall["mean_rank"]["delta"]) == (-0.5, 0.5)


def test_flips_come_the_most_decisive_first_whatever_the_unit(stored):
    tiers = ["tier3_adversarial"] * 5
    a = stored("a", [0.9, 0.1, -0.5, 0.3, -0.2], tiers)
    b = stored("b", [-90.0, -10.0, 50.0, 30.0, 20.0], tiers, similarity="bm25")
    found = compare(a, b).flips
    # b003 is passed by both. The others by how large both margins are among those of their model.
    assert [(one.item, one.baseline, one.candidate) for one in found] == [
        ("b000", 1.0, 0.0),
        ("b002", 0.0, 1.0),
        ("b004", 0.0, 1.0),
        ("b001", 1.0, 0.0),
    ]
    shown = {"item": "b000", "anchor": None, "tier": "tier3_adversarial"}
    scores = {"baseline": 1.0, "candidate": 0.0, "margin_a": 0.9, "margin_b": -90.0}
    assert found[0].model_dump() == shown | scores


def test_other_fingerprints_are_refused_with_both_in_full(stored, pair):
    other = stored("c", [0.1, 0.2, 0.3, 0.4], MIXED, seed=7, source_hash=OTHER)
    with pytest.raises(Refused) as refused:
        compare(pair[0], other)
    text = str(refused.value)
    assert f"EVAL_FINGERPRINT: {HASH}|42|4  {pair[0]}" in text
    assert f"EVAL_FINGERPRINT: {OTHER}|7|4" in text
    assert f"They differ in file ({HASH} and {OTHER}), seed (42 and 7)." in text
    assert "--allow-fingerprint-mismatch" in text
    assert refused.value.exit_code == 1
    # Where it is allowed it is said, and of one eval it is not.
    allowed = compare(pair[0], other, allow_fingerprint_mismatch=True)
    assert (allowed.fingerprints_match, allowed.exploratory) == (False, True)
    assert (compare(*pair).fingerprints_match, compare(*pair).exploratory) == (True, False)


@pytest.mark.parametrize("by_tier", [{}, {"tier9": {}}])
def test_a_scoreboard_without_its_tiers_or_the_unit_of_margins_is_refused(tmp_path, by_tier):
    a, b = broken_1(tmp_path)
    board = json.loads(b.read_text())
    only = board["by_tier"]["tier1_easy"]
    board["by_tier"] = {name: only for name in by_tier}
    b.write_text(json.dumps(board))
    with pytest.raises(InputError, match="'by_tier'.*tier1_easy, tier2_robust, tier3_adversarial"):
        compare(a, b)
    b.write_text(json.dumps({**json.loads(a.read_text()), "units": {}}))
    with pytest.raises(InputError, match="'units' is .*expected the unit of mean_margin"):
        compare(a, b)


@pytest.mark.parametrize("ends", [[0.9, 0.1], [0.1, 0.2], [-0.5, 0.9], [0.1, 1.5]])
def test_an_interval_out_of_order_or_beyond_the_figures_limits_is_refused(tmp_path, ends):
    a, b = broken_1(tmp_path)
    board = json.loads(b.read_text())
    board["overall"]["ci95"]["pass_rate"] = ends
    b.write_text(json.dumps(board))
    with pytest.raises(
        InputError, match=r"'overall.ci95'.*\[low, high\] of pass_rate around 0.*within 0 to 1"
    ):
        compare(a, b)


def test_scores_that_the_scoreboard_was_not_written_with_are_refused(pair):
    scores = scores_path(pair[0])
    pl.read_parquet(scores).with_columns(pl.col("margin") + 1e-12).write_parquet(scores)
    with pytest.raises(InputError, match="not the scores that a.json was written with.*bundles score"):
        compare(*pair)
