import numpy as np
import pytest
from scipy.stats import binomtest, ttest_rel

from tellapart.bundles.opposed import Course, Stages, opposed_changes, stage_change


def passes(n, *stages):
    """Scores of n items: each stage names the items that it passes."""
    items = np.zeros((len(stages), n))
    for row, passed in zip(items, stages, strict=True):
        row[list(passed)] = 1
    return Stages([{"": float(row.mean())} for row in items], items)


def test_a_claim_has_the_larger_p_of_its_two_exact_tests():
    # Up: 30 gained and 2 lost of 100. Down: 5 gained and 20 lost.
    up = passes(100, range(20), [*range(2, 20), *range(50, 80)])
    down = passes(100, range(40), [*range(20, 40), *range(60, 65)])
    ((change,),) = opposed_changes([Course(up, down)])
    p = [binomtest(k, n).pvalue for k, n in ((2, 32), (5, 25))]
    assert change.p == pytest.approx(max(p), rel=1e-12) and change.p_adjusted == change.p
    assert change.holds is True and change.level == 0.05
    rise, fall = stage_change(up, 0, 1, change.level), stage_change(down, 0, 1, change.level)
    assert rise.value == pytest.approx(0.28) and fall.value == pytest.approx(-0.15)
    assert rise.low > 0 and fall.high < 0


def test_all_pairs_of_all_courses_are_one_family():
    up = passes(100, range(20), range(10, 30), [*range(2, 20), *range(50, 80)])
    down = passes(100, range(40), range(5, 45), [*range(20, 40), *range(60, 65)])
    alone = opposed_changes([Course(up, down)])[0]
    both = opposed_changes([Course(up, down), Course(down, up)])
    (first,), (second,) = ([c for c in of if (c.before, c.after) == (0, 2)] for of in (alone, both[0]))
    assert first.p == second.p
    # There are 3 pairs of stages, then 6, and this one has the least p.
    assert first.p_adjusted == pytest.approx(min(1, 3 * first.p))
    assert second.p_adjusted == pytest.approx(min(1, 6 * first.p))


def test_a_rise_without_a_fall_is_none_and_a_small_one_does_not_count():
    up = passes(1000, range(100), range(109))
    down = passes(1000, range(500), range(400))
    assert opposed_changes([Course(up, up)]) == [[]]
    assert len(opposed_changes([Course(up, down)])[0]) == 1
    assert opposed_changes([Course(up, down, (0.01, 0.02))]) == [[]]


def test_rates_without_items_are_paired_by_seed_and_one_of_them_has_no_test():
    up = [{"1": 0.50, "2": 0.52, "3": 0.49}, {"1": 0.60, "2": 0.61, "3": 0.60}]
    down = [{"1": 0.80, "2": 0.79, "3": 0.82}, {"1": 0.70, "2": 0.68, "3": 0.73}]
    ((change,),) = opposed_changes([Course(Stages(up), Stages(down))])
    expected = [ttest_rel(list(a.values()), list(b.values())).pvalue for a, b in (up, down)]
    assert change.p == pytest.approx(max(expected)) and change.holds
    interval = stage_change(Stages(down), 0, 1, change.level).interval
    assert interval.high < 0 and -0.1 in interval
    single = [Stages([{"": 0.5}, {"": 0.6}]), Stages([{"": 0.8}, {"": 0.7}])]
    ((change,),) = opposed_changes([Course(*single)])
    assert (change.p, change.holds) == (None, None)
    assert stage_change(single[0], 0, 1, None).reason == "the scores of items are not at hand"
