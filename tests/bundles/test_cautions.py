import numpy as np
import pytest

from bundles.made_scores import scores
from tellapart.bundles.cautions import check_tiers, rise_p, score_cautions, tier_caution
from tellapart.bundles.tier_names import TIERS
from tellapart.bundles.tiers import assign_tiers


def made(*passes, n=40, clusters=None):
    """A tier of ``n`` bundles for each count of passes."""
    margins = [0.5 if i < count else -0.5 for count in passes for i in range(n)]
    return scores(margins, [tier for tier in TIERS[: len(passes)] for _ in range(n)], clusters=clusters)


def test_a_rise_is_said_with_its_figures_and_its_test():
    frame = made(20, 36, 10)
    steps = check_tiers(frame)
    expected = rise_p(np.repeat([1.0, 0.0], 20), np.repeat([1.0, 0.0], [36, 4]))[0]
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


def test_cautions_of_a_constant_model():
    frame = scores([0.0] * 50, [None] * 50, ties=[3] * 50)
    assigned = assign_tiers([0.0] * 50)
    ties, own, ties_first, ties_second, empty = score_cautions(frame, assigned.cuts)
    assert ties.startswith("in 50 of 50 bundles (100.0 %) the positive ties")
    assert "cut by this model's own danger" in own
    # Places 35 and 45: 36 and 46 of 50 would have been below the cuts.
    assert (
        "between tier 1 and tier 2 (danger 0) moved 28.0 % of the bundles into the easier tier" in ties_first
    )
    assert (
        "between tier 2 and tier 3 (danger 0) moved 8.0 % of the bundles into the easier tier" in ties_second
    )
    assert empty.startswith("no bundle is in tier2_robust, tier3_adversarial, so")
