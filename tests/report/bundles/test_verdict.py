import pytest

from report.bundles.stored_boards import ALPHA, BETA, ITEMS, OWN, TIER_OF, TIERS, write_board
from tellapart.report.bundles.pairs import Status, pairs
from tellapart.report.bundles.record import load
from tellapart.report.bundles.verdict import headline, verdict

ADVERSARIAL = "tier3_adversarial"


def test_pairs_are_tested_on_the_bundles_of_the_tier(boards):
    found = {pair.name: pair for pair in pairs(boards, ADVERSARIAL)}
    # Of the 20 bundles alpha passes 16, beta 4 of these and gamma 5: 12, 11 and 1 are passed by one alone.
    by_hand = {
        "alpha – beta": (0.6, 2 / 2**12),
        "alpha – gamma": (0.55, 2 / 2**11),
        "beta – gamma": (-0.05, 1),
    }
    assert {name: (pair.difference, pair.p) for name, pair in found.items()} == {
        name: pytest.approx(values) for name, values in by_hand.items()
    }
    # Holm: the smallest of three times 3, the next times 2.
    assert found["alpha – beta"].p_holm == pytest.approx(3 * 2 / 2**12)
    assert found["alpha – gamma"].p_holm == pytest.approx(2 * 2 / 2**11)
    assert [pair.status for pair in found.values()] == [Status.APART, Status.APART, Status.NOT_APART]
    assert {pair.n for pair in found.values()} == {20}


def test_the_best_model_leads_the_headline(boards):
    assert headline(boards) == (
        "alpha holds up best on the adversarial tier (n 20): 80.0 % (95 % interval 67.5–92.5) pass"
    )


def test_the_verdict_names_the_pairs_with_the_leader_first(boards):
    lines = verdict(boards)
    assert lines[0].startswith(
        "Pass rate on the adversarial tier (n 20): alpha 80.0 % (95 % interval 67.5–92.5); gamma 25.0 %"
    )
    assert lines[1].startswith("Told apart: alpha from beta (+60.0 points, +")
    assert "alpha from gamma (+55.0 points" in lines[1]
    assert lines[2].startswith("Not told apart: beta – gamma (−5.0 points, ")


def test_the_leader_is_first_in_whatever_order_the_boards_come(paths):
    lines = verdict(load(paths[::-1]))
    assert "alpha from gamma (+55.0 points, +" in lines[1]


def test_models_level_with_the_best_share_the_headline(tmp_path, paths):
    # It passes one adversarial bundle fewer than alpha.
    near = ALPHA[:20] + [-0.1] + ALPHA[21:]
    view = load([*paths, write_board(tmp_path, "near", near)])
    assert headline(view) == (
        "alpha and near hold up best on the adversarial tier (n 20); which of them is not shown"
    )


def test_no_model_is_best_where_none_are_told_apart(tmp_path, paths):
    view = load(paths[1:])
    assert headline(view) == (
        "No model is shown to hold up better than another on the adversarial tier (n 20): gamma and beta are "
        "not told apart"
    )


def test_one_model_is_described(paths):
    assert headline(load(paths[:1])) == (
        "alpha passes 80.0 % (95 % interval 67.5–92.5) on the adversarial tier (n 20)"
    )


def test_a_model_whose_margins_made_the_tiers_is_not_judged_in_them(tmp_path, paths):
    view = load([*paths[:2], write_board(tmp_path, "own", OWN)])
    found = pairs(view, ADVERSARIAL)
    assert [pair.status for pair in found] == [Status.APART, Status.WITHHELD, Status.WITHHELD]
    # Holm is over the one pair that is tested.
    assert found[0].p_holm == pytest.approx(2 / 2**12)
    assert headline(view).startswith("alpha holds up best")
    assert any(line.startswith("The tiering of own was cut by its own margins") for line in verdict(view))
    assert [pair.status is Status.WITHHELD for pair in pairs(view, "overall")] == [False] * 3


def test_tiers_that_differ_are_told_and_not_compared(tmp_path):
    moved = TIER_OF[:-2] + [TIERS[0]] * 2
    view = load([write_board(tmp_path, "alpha", ALPHA), write_board(tmp_path, "beta", BETA, tiers=moved)])
    assert "over all bundles (n 40)" in headline(view)
    assert any(line.startswith("2 of 40 bundles are in different tiers") for line in verdict(view))


def test_different_units_are_told(boards, paths):
    told = [line for line in verdict(boards) if line.startswith("Margins are in different units")]
    # Of alpha's 40 sizes the 20th and 21st are both 0.2 (2 × −0.1, 16 × 0.1, 8 × 0.2, then 0.3 and 0.5).
    assert "alpha 0.2, " in told[0]
    assert not any("different units" in line for line in verdict(load(paths[:2])))


def test_ties_are_told_above_one_percent(boards):
    # beta ties on one of 40 bundles.
    assert any("tied with a negative: beta 2.5 %" in line for line in verdict(boards))


def test_a_pass_rate_that_rises_is_told(tmp_path):
    rising = [-0.1] * 5 + [0.1] * 5 + [0.2] * 10 + [0.1] * 20
    view = load([write_board(tmp_path, "odd", rising)])
    assert any(line.startswith("Tiers do not order difficulty for odd") for line in verdict(view))


def test_different_evals_stamp_the_verdict(tmp_path, paths):
    strangers = [f"x{item}" for item in ITEMS]
    other = write_board(tmp_path, "delta", ALPHA, items=strangers, fingerprint="f" * 16 + "|7|40")
    view = load([paths[0], other], allow_fingerprint_mismatch=True)
    assert headline(view).startswith("Exploratory, the evals differ: ")
    assert any("they have no bundle in common" in line for line in verdict(view))
    assert [pair.status for pair in pairs(view, ADVERSARIAL)] == [Status.UNKNOWN]


def test_an_eval_without_bundles_has_a_verdict(tmp_path):
    empty = write_board(tmp_path, "nobody", [], items=[], tiers=[])
    assert headline(load([empty])) == "There are no bundles: nothing passes or fails"


def test_models_that_pass_the_same_bundles_are_not_tested(tmp_path):
    # An anchor shared by two bundles makes the test one over clusters, which needs differences that vary.
    (pair,) = pairs(
        load([write_board(tmp_path, name, ALPHA, clusters=["twice", "twice", *ITEMS[2:]]) for name in "ab"]),
        "overall",
    )
    assert (pair.status, pair.reason, pair.p) == (Status.UNKNOWN, "no bundle differs", None)
