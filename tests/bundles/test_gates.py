import pytest

from bundles.stored import TIERS, write_board
from tellapart.bundles.gates import ADVERSARIAL, drop_gate, tier_of
from tellapart.bundles.scoreboards import load_boards
from tellapart.core.score_grid import score_grid

N = 100


def gate(paths, **limits):
    boards = load_boards(paths)
    return drop_gate(boards, score_grid(boards.table), **limits)


def passing(tier1, tier3, size=0.2):
    """Margins of 100 bundles in tier 1 and 100 in tier 3, of which so many pass."""
    return [size] * tier1 + [-size] * (N - tier1) + [size] * tier3 + [-size] * (N - tier3)


TIER = [TIERS[0]] * N + [ADVERSARIAL] * N


def test_a_tier_at_the_floor_cannot_fail(tmp_path):
    paths = [
        write_board(tmp_path, "base", passing(90, 0), TIER),
        write_board(tmp_path, "cand", passing(80, 1), TIER),
    ]
    found, _ = gate(paths, max_drop=0.02, tier="tier3_adversarial")
    assert (found.outcome, found.can_fire) == ("unclear", False)
    assert found.reason.startswith("this gate cannot fail: base is at 0 itself")
    default, why = gate(paths, max_drop=0.02)
    assert (tier_of(default), default.can_fire) == ("overall", True)
    assert why == "base passes 0.0 % of tier3_adversarial itself"


def test_tiers_that_each_model_cut_for_itself_are_no_gate(tmp_path):
    a = write_board(tmp_path, "a", passing(100, 0), TIER)
    b = write_board(tmp_path, "b", passing(0, 100), TIER[::-1])
    found, _ = gate([a, b], max_drop=0.5, tier="tier3_adversarial")
    assert (found.outcome, found.can_fire) == ("unclear", False)
    assert "store them in the eval with 'tellapart bundles tier'" in found.reason
    overall, why = gate([a, b], max_drop=0.5)
    assert (tier_of(overall), overall.drop) == ("overall", 0.0)
    assert why == "the tiers were cut by each model's own danger"


@pytest.mark.parametrize(("lost", "outcome"), [(60, "failed"), (2, "passed"), (10, "unclear")])
def test_a_tier_that_the_baseline_cut_cannot_gate_it_but_all_bundles_can(tmp_path, lost, outcome):
    # The baseline's margins lie in the order of the tiers, and it fails all of the last one.
    falling = [(2 * N - i - N) / N - 0.005 for i in range(2 * N)]
    base = write_board(tmp_path, "base", falling, TIER)
    changed = [-0.5 if i < lost else margin for i, margin in enumerate(falling)]
    changed[-1] = 0.3
    paths = [base, write_board(tmp_path, "cand", changed, TIER)]
    found, why = gate(paths, max_drop=0.04)
    assert (tier_of(found), found.n, found.can_fire) == ("overall", 2 * N, True)
    assert (found.outcome, why) == (outcome, "the tiers were cut by the margins of base itself")
    asked, why = gate(paths, max_drop=0.04, tier="tier3_adversarial")
    assert (asked.can_fire, why) == (False, "")
