import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import bundles as slow
from tellapart.bundles.tier_names import TIERS
from tellapart.bundles.tiers import assign_tiers, committee_danger
from tellapart.errors import UsageError

REPEATABLE = settings(derandomize=True, deadline=None, max_examples=150, database=None)
EASY, ROBUST, ADVERSARIAL = TIERS
DANGERS = st.lists(
    st.one_of(st.integers(-3, 3).map(lambda i: i / 2), st.floats(-2, 2)), min_size=1, max_size=60
)


def test_ten_bundles_by_hand():
    # Sorted -.9 -.8 -.7 -.5 -.4 -.2 -.1 .0 .1 .3: places int(7.0) = 7 and int(9.0) = 9 hold .0 and .3, and a
    # danger at a cut is below it. So eight are easy, .1 and .3 are robust and none is adversarial.
    dangers = [0.1, -0.9, -0.8, 0.3, -0.7, -0.5, 0.0, -0.4, -0.2, -0.1]
    found = assign_tiers(dangers)
    assert found.cuts.cutoffs == (0.0, 0.3)
    assert found.tiers.tolist() == [ROBUST, EASY, EASY, ROBUST, *[EASY] * 6]
    assert found.cuts.tier_distribution == {EASY: 8, ROBUST: 2, ADVERSARIAL: 0}
    assert found.cuts.tied == (0.0, 0.0)


def test_a_tie_at_a_cut_stays_together_below_it():
    # Place 7 holds .5, as do places 3 to 8: nine are easy where eight would have been; place 9 holds .9.
    found = assign_tiers([0.1, 0.2, 0.3, *[0.5] * 6, 0.9])
    assert found.cuts.tier_distribution == {EASY: 9, ROBUST: 1, ADVERSARIAL: 0}
    assert found.cuts.tied == (0.1, 0.0)


@REPEATABLE
@given(DANGERS, st.sampled_from([(0.7, 0.9), (0.0, 1.0), (0.5, 0.5), (1.0, 1.0), (0.0, 0.0), (0.33, 0.66)]))
def test_agrees_with_the_documented_algorithm(dangers, thresholds):
    found = assign_tiers(dangers, thresholds)
    assert found.tiers.tolist() == slow.tiers(dangers, thresholds)
    assert found.cuts.tier_distribution == {
        tier: slow.tiers(dangers, thresholds).count(tier) for tier in TIERS
    }


@pytest.mark.parametrize("thresholds", [(0.9, 0.7), (-0.1, 0.5), (0.5, 1.1), (float("nan"), 0.5)])
def test_thresholds_are_ascending_shares(thresholds):
    with pytest.raises(UsageError, match="two ascending shares"):
        assign_tiers([0.1], thresholds)


def test_a_committee_cuts_by_the_mean_rank_of_danger():
    # Places of the first model 1 2 3 4, of the second, in other units and with a tie, 1 2.5 2.5 4 reversed.
    together = committee_danger([[-0.2, 0.0, 0.1, 0.5], [40, 7, 7, -3]])
    assert together.tolist() == [2.5 / 4, 2.25 / 4, 2.75 / 4, 2.5 / 4]
    # One model cuts by its danger itself.
    assert committee_danger([[-0.2, 0.0]]).tolist() == [-0.2, 0.0]
