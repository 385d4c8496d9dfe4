import json

import polars as pl
import pytest

from bundles.made_scores import scores
from tellapart.bundles.compare import compare, load_scored
from tellapart.bundles.scoreboard import EvalHeader, Scoreboard, scores_path, write_scoreboard
from tellapart.bundles.tier_stats import tier_stats
from tellapart.bundles.tiers import TIERS
from tellapart.errors import InputError, Refused, UsageError
from tellapart.store import write_frame

HASH, OTHER = "0123456789abcdef", "fedcba9876543210"
MIXED = ["tier1_easy", "tier1_easy", "tier3_adversarial", "tier3_adversarial"]


@pytest.fixture
def stored(tmp_path):
    """Write a scoreboard and its scores."""

    def write(name, frame, *, model="m", source_hash=HASH, seed=42):
        n = frame.height
        header = EvalHeader(
            eval_path="eval.jsonl",
            fingerprint=f"{source_hash}|{seed}|{n}",
            source_hash=source_hash,
            seed=seed,
            item_count=n,
            tier_distribution=dict.fromkeys(TIERS, 0),
        )
        board = Scoreboard(
            eval_header=header,
            model=model,
            overall=tier_stats(frame),
            by_tier={tier: tier_stats(frame.filter(pl.col("tier") == tier)) for tier in TIERS},
            timestamp="2026-01-01T00:00:00+00:00",
            tellapart_version="0",
        )
        path = tmp_path / name
        write_scoreboard(path, board)
        write_frame(scores_path(path), frame.with_columns(model=pl.lit(model)))
        return path

    return write


@pytest.fixture
def pair(stored):
    a = stored("a.json", scores([0.1, 0.2, 0.3, 0.4], MIXED), model="old")
    return a, stored("b.json", scores([0.1, -0.2, 0.3, -0.4], MIXED), model="new")


def test_a_record_of_both_and_their_figures(pair):
    record = compare(*pair, max_drop=0.5, max_q10_drop=0.1)
    assert (record["fingerprints_match"], record["exploratory"], record["notes"]) == (True, False, [])
    assert record["a"] == {
        "scoreboard": str(pair[0]),
        "model": "old",
        "checkpoint_path": "",
        "eval_path": "eval.jsonl",
        "fingerprint": f"{HASH}|42|4",
        "version": None,
    }
    assert record["b"]["model"] == "new"
    assert record["tiers"]["tier3_adversarial"]["pass_rate"]["delta"] == -0.5
    # The 10th percentile falls from .31 to -.33.
    assert [(gate["value"], gate["passed"]) for gate in record["gates"]] == [(0.5, True), (0.64, False)]
    assert json.loads(json.dumps(record, allow_nan=False)) == record


def test_the_same_files_give_the_same_record(pair):
    assert compare(*pair) == compare(*pair)


def test_limits_are_checked_before_the_files(tmp_path):
    with pytest.raises(UsageError, match="--max-drop is 5"):
        compare(tmp_path / "none.json", tmp_path / "none.json", max_drop=5)


@pytest.mark.parametrize(
    ("changes", "differs"),
    [
        ({"source_hash": OTHER}, f"They differ in file ({HASH} and {OTHER})."),
        ({"seed": 7}, "They differ in seed (42 and 7)."),
        (
            {"seed": 7, "source_hash": OTHER},
            f"They differ in file ({HASH} and {OTHER}), seed (42 and 7).",
        ),
    ],
)
def test_other_fingerprints_are_refused_with_both_in_full(stored, pair, changes, differs):
    other = stored("c.json", scores([0.1, 0.2, 0.3, 0.4], MIXED), **changes)
    with pytest.raises(Refused) as refused:
        compare(pair[0], other)
    text = str(refused.value)
    assert f"A  EVAL_FINGERPRINT: {HASH}|42|4  {pair[0]}" in text
    assert f"B  EVAL_FINGERPRINT: {changes.get('source_hash', HASH)}|{changes.get('seed', 42)}|4" in text
    assert differs in text
    assert "--allow-fingerprint-mismatch" in text
    assert refused.value.exit_code == 1


def test_other_counts_are_named(stored, pair):
    with pytest.raises(Refused, match=r"differ in count \(4 and 2\)"):
        compare(pair[0], stored("c.json", scores([0.1, 0.2])))


def test_what_is_allowed_is_exploratory(stored, pair):
    other = stored("c.json", scores([0.1, 0.2, 0.3], items=["b001", "b002", "new"]), source_hash=OTHER)
    record = compare(pair[0], other, allow_fingerprint_mismatch=True)
    assert (record["fingerprints_match"], record["exploratory"]) == (False, True)
    assert record["items"]["shared"] == 2
    assert (
        "the tests use the 2 that both have, of 4 in A and 3 in B, matched by id alone" in record["notes"][0]
    )


def test_permission_that_is_not_needed_changes_nothing(pair):
    assert compare(*pair, allow_fingerprint_mismatch=True) == compare(*pair)


def test_equal_fingerprints_with_other_bundles_are_refused(stored, pair):
    # As after --skip-invalid, where a model lacks the vector of one bundle and another model that of another.
    other = stored("c.json", scores([0.1, 0.2, 0.3, 0.4], MIXED, items=["b000", "b001", "b002", "b009"]))
    with pytest.raises(
        Refused, match=r"equal, but not their bundles[\s\S]*A \['b003'\], only in B \['b009'\]"
    ):
        compare(pair[0], other)
    record = compare(pair[0], other, allow_fingerprint_mismatch=True)
    assert (record["fingerprints_match"], record["exploratory"]) == (True, True)
    assert record["items"]["shared"] == 3


def test_tiers_cut_by_each_models_danger_are_noted(stored, pair):
    other = stored("c.json", scores([0.1, 0.2, 0.3, 0.4], MIXED[::-1]))
    (note,) = compare(pair[0], other)["notes"]
    assert note.startswith("4 of 4 bundles are in another tier in B")


def test_missing_scores_say_what_to_do(pair):
    scores_path(pair[0]).unlink()
    with pytest.raises(InputError, match=r"no 'a\.scores\.parquet' beside it.*bundles score"):
        compare(*pair)


def rewritten(path, **columns):
    frame = pl.read_parquet(scores_path(path))
    write_frame(scores_path(path), frame.with_columns(**columns))
    return path


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"model": pl.lit("other")}, "model is 'other' here and 'old' there"),
        ({"margin": -pl.col("margin")}, "overall correct is 0 here and 4 there"),
        # The passes of each tier stay as many, their margins do not.
        ({"tier": pl.col("tier").reverse()}, r"tier1_easy mean_margin is 0\.35 here and 0\.15 there"),
        ({"tier": pl.lit("tier2_robust")}, "tier1_easy n is 0 here and 2 there"),
        ({"margin": pl.lit("x")}, "column 'margin' is String, expected Float64"),
        ({"margin": pl.lit(float("nan"))}, "column 'margin' lacks a value in row 0"),
        ({"rank": pl.Series([1, 1, None, 1])}, "column 'rank' lacks a value in row 2"),
        ({"item": pl.lit("twin")}, "item 'twin' is there more than once"),
    ],
)  # fmt: skip
def test_scores_of_another_scoreboard_are_refused(pair, columns, message):
    path = rewritten(pair[0], **columns)
    with pytest.raises(InputError, match=message) as refused:
        load_scored(path)
    assert "a.scores.parquet" in str(refused.value)


def test_rows_left_out_are_noticed(pair):
    write_frame(scores_path(pair[0]), pl.read_parquet(scores_path(pair[0])).head(3))
    with pytest.raises(InputError, match="overall n is 3 here and 4 there"):
        load_scored(pair[0])


def test_a_fingerprint_made_up_is_refused(pair):
    board = json.loads(pair[0].read_text())
    board["eval_header"]["fingerprint"] = f"{OTHER}|42|4"
    pair[0].write_text(json.dumps(board))
    with pytest.raises(InputError, match="is not that of its parts"):
        load_scored(pair[0])


def test_an_empty_eval_compares_with_nothing_known(stored):
    a, b = stored("a.json", scores([])), stored("b.json", scores([]))
    record = compare(a, b, max_drop=0.5)
    assert record["tiers"]["overall"]["pass_rate"]["delta"] is None
    assert record["gates"][0]["passed"] is False


def test_no_gate_passes_on_tiers_that_each_model_cut_by_its_own_danger(stored):
    b_tiers = [MIXED[0], MIXED[2], MIXED[0], MIXED[2]]
    a = stored("a.json", scores([0.1, 0.2, -0.3, -0.4], MIXED))
    b = stored("b.json", scores([0.1, -0.2, 0.3, -0.4], b_tiers))
    (gate,) = compare(a, b, max_drop=1.0)["gates"]
    assert (gate["value"], gate["passed"]) == (None, False)
    assert "store them with 'tellapart bundles tier'" in gate["reason"]
