import pytest

from bundles.made_scores import scores
from tellapart.bundles.cautions import check_tiers, dropped, score_cautions, tier_caution, tier_cautions
from tellapart.bundles.difficulty import rate_fall
from tellapart.bundles.tier_names import TIERS
from tellapart.bundles.tiers import assign_tiers


def made(*passes, n=40, clusters=None):
    """A tier of ``n`` bundles for each count of passes."""
    margins = [0.5 if i < count else -0.5 for count in passes for i in range(n)]
    return scores(margins, [tier for tier in TIERS[: len(passes)] for _ in range(n)], clusters=clusters)


def test_tiers_in_order_are_no_news():
    frame = made(38, 28, 10)
    steps = check_tiers(frame)
    assert [step.rates for step in steps] == [(0.95, 0.7), (0.95, 0.25), (0.7, 0.25)]
    assert [step.rises for step in steps] == [False, False, False]
    assert tier_caution(frame) is None


def test_a_rise_is_said_with_its_figures_and_its_test():
    frame = made(20, 36, 10)
    steps = check_tiers(frame)
    expected = rate_fall([1] * 20 + [0] * 20, [1] * 36 + [0] * 4).p_rises
    assert steps[0].p_rises == pytest.approx(3 * expected)  # Holm over three pairs of tiers.
    assert tier_caution(frame) == (
        "tiers do not order difficulty for m: passes 50.0 % in tier1_easy (n = 40) and "
        "90.0 % in tier2_robust (n = 40), p < 0.001 of no rise"
    )


def test_a_rate_that_creeps_up_is_a_disorder_although_no_tier_differs_from_the_next():
    steps = check_tiers(made(12, 20, 28))
    assert [(step.levels[0], step.levels[1]) for step in steps if step.rises] == [(TIERS[0], TIERS[2])]
    assert "passes 30.0 % in tier1_easy (n = 40) and 70.0 % in tier3_adversarial" in tier_caution(
        made(12, 20, 28)
    )


@pytest.mark.parametrize("passes", [(20, 21, 10), (40, 40, 39), (1, 1, 1), (0, 0, 0), (40, 40, 40)])
def test_a_rise_by_chance_equal_rates_and_what_cannot_be_tested_are_no_disorder(passes):
    assert tier_caution(made(*passes)) is None


def test_one_pass_against_one_pass_is_no_disorder():
    # The finding: 1 of 334 in tier 2 and 1 of 166 in tier 3, which was stated as a fact.
    tiers = [TIERS[1]] * 334 + [TIERS[2]] * 166
    margins = [0.5 if i in (0, 334) else -0.5 for i in range(500)]
    (step,) = check_tiers(scores(margins, tiers))
    assert step.rates[1] > step.rates[0]
    assert step.p_rises == pytest.approx(0.326, abs=1e-3)
    assert tier_caution(scores(margins, tiers)) is None


def test_an_empty_tier_is_stepped_over():
    frame = made(10, 5, 30).filter(~(made(10, 5, 30)["tier"] == TIERS[1]))
    (step,) = check_tiers(frame)
    assert step.levels == (TIERS[0], TIERS[2])
    assert check_tiers(made(10)) == ()


def test_anchors_that_bundles_share_count():
    # Four bundles an anchor that pass or fail together know as much as one: the rise is no longer sure.
    alone = check_tiers(made(20, 32))
    together = check_tiers(made(20, 32, clusters=[f"a{i // 4}" for i in range(80)]))
    assert alone[0].p_rises < 0.01 < 0.05 < together[0].p_rises
    assert (alone[0].rises, together[0].rises) == (True, False)


def test_cautions_of_a_constant_model():
    frame = scores([0.0] * 50, [None] * 50, ties=[3] * 50)
    assigned = assign_tiers([0.0] * 50)
    own, ties_first, ties_second, empty = score_cautions(frame, assigned)[1:]
    assert score_cautions(frame, assigned)[0].startswith("in 50 of 50 bundles (100.0 %) the positive ties")
    assert "cut by this model's own danger" in own
    # Places 35 and 45: 36 and 46 of 50 would have been below the cuts.
    assert (
        "between tier 1 and tier 2 (danger 0) moved 28.0 % of the bundles into the easier tier" in ties_first
    )
    assert (
        "between tier 2 and tier 3 (danger 0) moved 8.0 % of the bundles into the easier tier" in ties_second
    )
    assert empty.startswith("no bundle is in tier2_robust, tier3_adversarial, so")


def test_one_tie_in_a_hundred_is_not_yet_worth_a_word():
    tiers = [*[TIERS[0]] * 60, *[TIERS[2]] * 40]
    margins = [*[0.5] * 60, *[-0.5] * 40]
    assert score_cautions(scores(margins, tiers, ties=[1, *[0] * 99]), None) == ()
    (said,) = score_cautions(scores(margins, tiers, ties=[1, 1, *[0] * 98]), None)
    assert said.startswith("in 2 of 100 bundles (2.0 %)")


def test_bundles_without_a_tier_are_counted():
    (said,) = score_cautions(scores([0.5, 0.5, -0.5], [TIERS[0], None, TIERS[2]]), None)
    assert said.startswith("1 of 3 bundles have no tier")


def test_one_percent_moved_by_ties_is_not_yet_worth_a_word():
    # Of 100 the places 70 and 90; one tie with place 70 moves one bundle, two move two.
    assert tier_cautions(assign_tiers([*range(71), 70, *range(72, 100)])) == ()
    (said,) = tier_cautions(assign_tiers([*range(71), 70, 70, *range(73, 100)]))
    assert "(danger 70) moved 2.0 %" in said


def test_bad_rows_are_counted_by_cause():
    assert (
        dropped({"zero vector": 2, "empty text": 1}, 2)
        == "left out 2 bad row(s): 1 empty text, 2 zero vector"
    )
