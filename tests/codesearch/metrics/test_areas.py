import pytest

from codesearch.as_json import as_json
from codesearch.explored_cases import case
from codesearch.judged_cases import judged
from tellapart.codesearch.metrics.measures import areas, measures, uncertain

areas, measures, uncertain = map(as_json, (areas, measures, uncertain))


def precise(number, right, of, area, failed=0):
    """A conversation of which so many of our files are theirs, and of the rest so many verdicts failed."""
    letters = "abcdefghijklmnopqrst"[:of]
    rest = letters[right:]
    cut = len(rest) - failed
    return judged(number, letters[:right], "", letters, no=rest[:cut], failed=rest[cut:], area=area)


def below(cases, area, name="precision"):
    return areas(cases)[area][name]


def test_an_area_far_below_the_whole_is_an_anomaly():
    # x: 1.0 and .8; y: .4 and .2. All: .6, so that y is .3 below, and x above.
    cases = [precise(1, 5, 5, "x"), precise(2, 4, 5, "x"), precise(3, 2, 5, "y"), precise(4, 1, 5, "y")]
    found = below(cases, "y")
    assert (found["gap"], found["mean"]) == (pytest.approx([0.3, 0.3]), pytest.approx(0.3))
    # Student's with one degree of freedom: .3 +- 12.706 x .1, cut to shares.
    assert (found["anomaly"], found["interval"]) == (True, [0, 1])
    assert (below(cases, "x")["gap"], below(cases, "x")["anomaly"]) == (pytest.approx([-0.3, -0.3]), False)
    assert list(areas(cases)) == ["x", "y"]


def test_exactly_the_limit_is_no_anomaly():
    # .8 and .5: y is .15 below the mean of .65, which floats put above it.
    assert 0.65 - 0.5 > 0.15
    cases = [precise(1, 8, 10, "x"), precise(2, 5, 10, "y")]
    assert below(cases, "y")["gap"] == pytest.approx([0.15, 0.15])
    assert below(cases, "y")["anomaly"] is False
    assert below([precise(1, 9, 10, "x"), precise(2, 5, 10, "y")], "y")["anomaly"] is True


def test_what_missing_verdicts_leave_open_is_withheld():
    # y has 1 of 5 and three failed: .2 to .8. x has 4 of 5, one failed: .8 to 1.
    found = below([precise(1, 4, 5, "x", failed=1), precise(2, 1, 5, "y", failed=3)], "y")
    assert found["gap"] == pytest.approx([0.8 - 0.8, 0.6 - 0.2])
    assert (found["mean"], found["anomaly"]) == (None, None)
    # With one of ten failed in y, which has 1 of 10, the gap is .35 at least.
    found = below([precise(1, 8, 10, "x"), precise(2, 1, 10, "y", failed=1)], "y")
    assert found["gap"] == pytest.approx([0.5 - 0.2, 0.45 - 0.1])
    assert (found["mean"], found["anomaly"]) == (None, True)


def test_uncertain_by_hand():
    cases = [case(1, "a", "a"), case(2, "a", "a", area="x"), case(3, "a", "a", area="x")]
    told = uncertain(cases)
    assert (told["value"], told["n"]) == (1 / 3, 3)
    # Wilson's: (1/3 + z2/6 +- z sqrt(2/27 + z2/36)) / (1 + z2/3), z2 = 3.8415.
    assert [told["low"], told["high"]] == pytest.approx([0.0615, 0.7923], abs=1e-4)
    assert uncertain([])["value"] is None
