import pytest

from tellapart.core.stats.paired import holm, holm_known, holm_levels


def test_holm_by_hand():
    # Sorted .01 .02 .03 .04 times 4 3 2 1: .04 .06 .06 .04, and no value below the one before it.
    assert holm([0.04, 0.01, 0.03, 0.02]).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])
    # Two tests: .01 * 2 and the larger of .02 and .03; what was not tested costs nothing.
    assert holm_known([None, 0.03, None, 0.01]) == [None, 0.03, None, 0.02]
    assert holm_known([]) == []
    with pytest.raises(ValueError, match=r"p_values\[1\] is"):
        holm([0.1, 1.2])


def test_the_levels_at_which_holm_tested_by_hand():
    # p of .001, .01, .02, .03 and .2: .005, .04, .06 (3 x .02), and no more is claimed. The first is tested
    # at .05 / 5, the second at .05 / 4, all others at .05 / 3, at which the third was not rejected.
    p = [0.02, 0.001, None, 0.2, 0.01, 0.03]
    adjusted = holm_known(p)
    assert adjusted == pytest.approx([0.06, 0.005, None, 0.2, 0.04, 0.06])
    levels = holm_levels(p, adjusted, 0.05)
    assert levels == pytest.approx([0.05 / 3, 0.05 / 5, None, 0.05 / 3, 0.05 / 4, 0.05 / 3])
    # Equal p-values are tested at one level, and where all are rejected each is at its own.
    assert holm_levels([0.01, 0.01, 0.04], [0.03, 0.03, 0.04], 0.05) == [0.05 / 3, 0.05 / 3, 0.05]
    assert holm_levels([None], [None], 0.05) == [None]
