import json

import polars as pl
import pytest

from report.bundles.stored_boards import ALPHA, BETA, ITEMS, OWN, TIER_OF, TIERS, write_board
from tellapart.errors import InputError, Refused
from tellapart.report.bundles.record import load

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
    assert view.models == ("alpha (first)", "alpha (second) #1", "alpha (second) #2")


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
    with pytest.raises(InputError, match="7 rows, but beta.json is of 40 bundles"):
        load(paths)


def test_scores_of_another_shape_are_refused(paths):
    scores = paths[0].with_name("alpha.scores.parquet")
    pl.read_parquet(scores).with_columns(pl.col("margin").cast(pl.String)).write_parquet(scores)
    with pytest.raises(InputError, match=r"column 'margin' is String, expected Float64"):
        load(paths)
    pl.read_parquet(scores).drop("rank").write_parquet(scores)
    with pytest.raises(InputError, match="rank"):
        load(paths)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "no scoreboard: got list"),
        ("{", "this is no JSON"),
        (json.dumps({"model": "a"}), "field 'eval_header' is missing"),
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
