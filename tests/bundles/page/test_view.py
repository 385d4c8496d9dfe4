import json

import polars as pl
import pytest

from bundles.page.stored_boards import ALPHA, BETA, ITEMS, OWN, TIER_OF, TIERS, load, write_board
from tellapart.bundles.page.sections import document
from tellapart.bundles.page.verdict import headline
from tellapart.errors import InputError, Refused

OTHER = "fedcba9876543210|7|40"


def test_margins_of_a_tier_are_its_own_in_ascending_order(boards):
    assert boards.boards[0].margins(TIERS[2]).tolist() == [-0.3] * 4 + [0.1] * 16
    assert len(boards.boards[0].margins("overall")) == 40


def test_bundles_are_joined_by_id_whatever_their_order(tmp_path):
    first = write_board(tmp_path, "alpha", ALPHA)
    second = write_board(tmp_path, "beta", BETA[::-1], items=ITEMS[::-1], tiers=TIER_OF[::-1])
    view = load([first, second])
    assert view.shared["item"].to_list() == ITEMS
    assert view.shared["margin_1"].to_list() == BETA
    assert view.moved == 0


def test_tiers_cut_by_a_models_own_margins_are_noticed(tmp_path):
    view = load([write_board(tmp_path, "own", OWN), write_board(tmp_path, "alpha", ALPHA)])
    assert [board.own_cut for board in view.boards] == [True, False]
    assert view.scope == "tier3_adversarial"


def test_equal_margins_on_both_sides_of_a_cut_are_still_a_cut(tmp_path):
    ties = [0.5] * 10 + [0.0] * 10 + [0.0] * 20
    assert load([write_board(tmp_path, "ties", ties)]).boards[0].own_cut


def test_where_tiers_are_not_the_same_bundles_all_bundles_are_compared(tmp_path):
    moved = TIER_OF[:-1] + [TIERS[0]]
    view = load([write_board(tmp_path, "alpha", ALPHA), write_board(tmp_path, "beta", BETA, tiers=moved)])
    assert (view.moved, view.scope) == (1, "overall")


def test_an_empty_adversarial_tier_is_not_compared_on(tmp_path):
    easy = [TIERS[0]] * 40
    assert load([write_board(tmp_path, "alpha", ALPHA, tiers=easy)]).scope == "overall"


def test_models_of_one_name_are_told_apart_by_their_files(tmp_path):
    (tmp_path / "sub").mkdir()
    places = [(tmp_path, "first"), (tmp_path, "second"), (tmp_path / "sub", "second")]
    view = load([write_board(place, "alpha", ALPHA, name=name) for place, name in places])
    assert view.models == ("alpha (first)", f"alpha ({tmp_path.name}/second)", "alpha (sub/second)")


def test_different_evals_are_refused_and_all_are_shown(tmp_path, paths):
    other = write_board(tmp_path, "delta", ALPHA, fingerprint=OTHER)
    with pytest.raises(Refused) as refused:
        load([*paths, other])
    message = str(refused.value)
    assert message.count("EVAL_FINGERPRINT: 0123456789abcdef|7|40") == 3
    assert f"EVAL_FINGERPRINT: {OTHER}  {other}" in message
    assert "--allow-fingerprint-mismatch" in message


def test_different_evals_may_be_looked_at(tmp_path, paths):
    other = write_board(
        tmp_path, "delta", ALPHA[:39], items=ITEMS[:39], tiers=TIER_OF[:39], fingerprint=OTHER
    )
    view = load([*paths, other], allow_fingerprint_mismatch=True)
    assert view.exploratory
    assert view.shared.height == 39


def test_a_board_without_its_scores_is_refused(paths):
    paths[1].with_name("beta.scores.parquet").unlink()
    with pytest.raises(InputError, match="there is no 'beta.scores.parquet' beside it"):
        load(paths)


def test_scores_of_another_board_are_refused(paths):
    scores = paths[1].with_name("beta.scores.parquet")
    pl.read_parquet(scores).head(7).write_parquet(scores)
    with pytest.raises(InputError, match="overall n is 7 here and 40 there"):
        load(paths)


def test_scores_of_another_model_of_the_same_eval_are_refused(paths):
    paths[0].with_name("alpha.scores.parquet").replace(paths[1].with_name("beta.scores.parquet"))
    message = r"beta.scores.parquet: these are not the scores of .*: model is 'alpha' here and 'beta' there"
    with pytest.raises(InputError, match=message):
        load(paths[1:2])


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


def test_a_mean_margin_may_differ_by_how_it_was_summed(paths):
    figures = json.loads(paths[0].read_text("utf-8"))
    figures["overall"]["mean_margin"] += 9e-10
    paths[0].write_text(json.dumps(figures), encoding="utf-8")
    assert load(paths).models == ("alpha", "beta", "gamma")


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


def test_a_bundle_left_out_of_the_last_board_is_noticed(tmp_path, paths):
    last = write_board(tmp_path, "delta", **without(["b03"], ALPHA))
    with pytest.raises(Refused, match=r"only in .*alpha.json: 'b03'\n  only in .*delta.json: none"):
        load([*paths, last])


def test_scores_of_another_shape_are_refused(paths):
    scores = paths[0].with_name("alpha.scores.parquet")
    pl.read_parquet(scores).with_columns(pl.col("margin").cast(pl.String)).write_parquet(scores)
    with pytest.raises(InputError, match=r"column 'margin' is String, expected Float64"):
        load(paths)
    fixed = pl.read_parquet(scores).with_columns(pl.col("margin").cast(pl.Float64))
    fixed.drop("rank").write_parquet(scores)
    with pytest.raises(InputError, match="rank"):
        load(paths)


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


def test_a_missing_scoreboard_is_named(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        load([tmp_path / "none.json"])
