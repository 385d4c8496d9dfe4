import json

import polars as pl
import pytest

from bundles.page.stored_boards import ALPHA, BETA, ITEMS, TIER_OF, TIERS, load, write_board
from tellapart.bundles.page.sections import document
from tellapart.bundles.page.verdict import headline
from tellapart.errors import InputError, Refused

OTHER = "fedcba9876543210|7|40"


def test_different_evals_are_refused_and_all_are_shown(tmp_path, paths):
    other = write_board(tmp_path, "delta", ALPHA, fingerprint=OTHER)
    with pytest.raises(Refused) as refused:
        load([*paths, other])
    message = str(refused.value)
    assert message.count("EVAL_FINGERPRINT: 0123456789abcdef|7|40") == 3
    assert f"EVAL_FINGERPRINT: {OTHER}  {other}" in message
    assert "--allow-fingerprint-mismatch" in message


@pytest.mark.parametrize(
    ("margins", "tiers", "said"),
    [
        # The first bundle fails.
        ([-0.5, *ALPHA[1:]], TIER_OF, r"overall correct is 33 here and 34 there"),
        # The mean of 40 moves by 2e-9, its passes do not.
        ([ALPHA[0] + 8e-8, *ALPHA[1:]], TIER_OF, r"overall mean_margin is .* here and .* there"),
        # A bundle in another tier.
        (ALPHA, [TIERS[1], *TIER_OF[1:]], r"tier1_easy n is 9 here and 10 there"),
        # Two swapped between tiers, one that passes and one that fails; then two that pass.
        (
            [*ALPHA[:17], ALPHA[39], *ALPHA[18:39], ALPHA[17]],
            TIER_OF,
            r"tier2_robust correct is 7 here and 8 there",
        ),
        ([ALPHA[10], *ALPHA[1:10], ALPHA[0], *ALPHA[11:]], TIER_OF, r"tier1_easy mean_margin is 0\.4"),
    ],
)
def test_scores_of_another_checkpoint_are_refused(paths, margins, tiers, said):
    scores = paths[0].with_name("alpha.scores.parquet")
    changed = pl.read_parquet(scores).with_columns(pl.Series("margin", margins), pl.Series("tier", tiers))
    changed.with_columns(score=(pl.col("margin") > 0).cast(pl.Float64)).write_parquet(scores)
    with pytest.raises(InputError, match=said):
        load(paths)


def without(items, margins):
    kept = [i for i, item in enumerate(ITEMS) if item not in items]
    return {
        "margins": [margins[i] for i in kept],
        "items": [ITEMS[i] for i in kept],
        "tiers": [TIER_OF[i] for i in kept],
    }


def test_boards_of_one_eval_with_other_bundles_left_out_are_refused(tmp_path):
    first = write_board(tmp_path, "alpha", **without(["b03"], ALPHA))
    second = write_board(tmp_path, "beta", **without(["b30", "b31", "b32", "b33", "b34"], BETA))
    with pytest.raises(Refused) as refused:
        load([first, second])
    said = str(refused.value)
    assert "fingerprints of these scoreboards are equal, but not their bundles" in said
    assert f"only in {first}: 'b30', 'b31', 'b32' and 2 more\n" in said
    assert f"only in {second}: 'b03'\n" in said
    assert "--allow-fingerprint-mismatch" in said
    view = load([first, second], allow_fingerprint_mismatch=True)
    assert (view.exploratory, view.shared.height) == (True, 34)
    assert "the evals differ in the bundles that were left out" in headline(view)
    page = document(view)
    assert page.facts["Bundles"] == "differ, some are left out"
    assert page.facts["Eval"] == "eval.jsonl"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", r"not a valid scoreboard: found \[\], expected an object"),
        (json.dumps({"model": "a"}), "'eval_header' is missing"),
    ],
)
def test_what_is_no_scoreboard_is_named(tmp_path, text, said):
    path = tmp_path / "odd.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said) as error:
        load([path])
    assert str(error.value).startswith(str(path))
    assert "tellapart bundles score" in str(error.value)
