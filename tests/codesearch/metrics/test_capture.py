import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import hypergeom

from reference import capture as slow
from tellapart.codesearch.metrics.capture import (
    NOTHING_FOUND,
    NOTHING_IN_COMMON,
    TOO_LITTLE_IN_COMMON,
    TwoCatches,
    chapman,
    chapman_sum,
)
from tellapart.core.estimate import EstimateWithError, Interval


def test_the_estimate_by_hand():
    # (19 + 1)(11 + 1) / (5 + 1) - 1 = 39; 20 * 12 * 14 * 6 / (6^2 * 7) = 80.
    found = chapman(TwoCatches(19, 11, 5))
    assert found.value == 39
    assert found.standard_error == pytest.approx(math.sqrt(80))
    assert (found.n, found.reason) == (25, None)


@pytest.mark.parametrize(
    "counts", [(19, 11, 5), (4, 4, 4), (4, 3, 3), (7, 5, 1), (1, 1, 1), (12, 30, 9), (6, 8, 6)]
)
def test_the_interval_is_all_sizes_that_are_no_surprise(counts):
    found = chapman(TwoCatches(*counts))
    inside = slow.accepted(*counts, Fraction(1, 40), 400)
    assert inside == list(range(inside[0], inside[-1] + 1))
    assert found.value == pytest.approx(float(slow.estimate(*counts)))
    assert found.interval.low == min(inside[0], found.value)
    if inside[-1] < 400:
        assert found.interval.high == max(inside[-1], found.value)


def test_searches_that_share_nothing_have_no_upper_end():
    found = chapman(TwoCatches(9, 9, 0))
    assert found.value == 99
    assert found.interval.high == math.inf
    assert found.reason == NOTHING_IN_COMMON
    # The least N at which half the chance of sharing nothing is above .025.
    none = [hypergeom(n, 9, 9).pmf(0) / 2 for n in range(18, 60)]
    assert found.interval.low == 18 + next(k for k, chance in enumerate(none) if chance > 0.025)


@pytest.mark.parametrize("counts", [(0, 0, 0), (0, 7, 0), (7, 0, 0)])
def test_a_search_that_found_nothing_says_nothing(counts):
    found = chapman(TwoCatches(*counts))
    assert (found.value, found.interval, found.standard_error) == (None, None, None)
    assert (found.reason, found.n) == (NOTHING_FOUND, sum(counts))
    assert chapman_sum([TwoCatches(*counts)]) == EstimateWithError(None, None, None, 0, NOTHING_FOUND)


def test_no_end_is_below_what_is_known_and_the_searches_can_change_places():
    for first in range(1, 9):
        for second in range(1, 9):
            for both in range(min(first, second) + 1):
                found = chapman(TwoCatches(first, second, both))
                assert found.n <= found.interval.low <= found.value <= found.interval.high
                assert found == chapman(TwoCatches(second, first, both))


def test_the_interval_covers_the_truth_at_its_rate():
    # Two standard errors of 1,000 draws at 95 % are 1.4 %; discrete counts can only cover more.
    rng = np.random.default_rng(20)
    for size, chances in ((15, (0.5, 0.4)), (60, (0.4, 0.4)), (60, (0.2, 0.6))):
        covered = 0
        for _ in range(1000):
            a, b = (rng.random(size) < chance for chance in chances)
            found = chapman(TwoCatches(int(a.sum()), int(b.sum()), int((a & b).sum())))
            covered += found.interval is None or size in found.interval
        assert 0.936 < covered / 1000 < 0.99


def test_a_sum_by_hand():
    # Estimates 39 and (9 + 1)(5 + 1) / (2 + 1) - 1 = 19, variances 80 and 10 * 6 * 7 * 3 / (9 * 4) = 35.
    found = chapman_sum([TwoCatches(19, 11, 5), TwoCatches(9, 5, 2), TwoCatches(0, 4, 0)])
    assert (found.value, found.n) == (58, 25 + 12)
    assert found.standard_error == pytest.approx(math.sqrt(115))
    # With half a thing added: 240 * 14.5 * 6.5 / 252 + 60 * 7.5 * 3.5 / 36 = 89.7619 + 43.75 = 133.5119.
    # 21 are missing; exp(1.959964 sqrt(ln(1 + 133.5119 / 441))) = 2.7471; 37 + 21 / 2.7471 = 44.64, and
    # 37 + 21 * 2.7471 = 94.69, to which the bias adds 39 exp(-240 / 39) + 19 exp(-60 / 19) = .0829 + .8078.
    assert found.interval == Interval(44, 96)


def test_places_that_share_nothing_open_the_sum():
    known = [TwoCatches(19, 11, 5)] * 9
    assert math.isfinite(chapman_sum([*known, TwoCatches(4, 4, 0)]).interval.high)
    found = chapman_sum([*known, TwoCatches(9, 4, 0)])
    # 49 of 9 * 39 + 49 = 400 are more than a tenth.
    assert (found.value, found.interval.high, found.reason) == (400, math.inf, TOO_LITTLE_IN_COMMON)


def test_a_sum_of_one_is_that_one_and_their_order_is_all_one():
    one, other = TwoCatches(12, 30, 9), TwoCatches(7, 5, 1)
    assert chapman_sum([one, TwoCatches(3, 0, 0)]) == chapman(one)
    assert chapman_sum([one, other]) == chapman_sum([other, one])


def test_the_sum_covers_the_truth_at_its_rate():
    rng = np.random.default_rng(21)
    covered = 0
    for _ in range(500):
        sizes, strata = rng.integers(20, 61, 8), []
        for size in sizes:
            a, b = rng.random(size) < 0.45, rng.random(size) < 0.35
            strata.append(TwoCatches(int(a.sum()), int(b.sum()), int((a & b).sum())))
        covered += int(sizes.sum()) in chapman_sum(strata).interval
    assert 0.93 < covered / 500 < 0.99


def test_what_dependent_searches_do():
    rng = np.random.default_rng(22)

    def mean_share(draw):
        found = []
        for _ in range(400):
            a, b = draw()
            found.append(chapman(TwoCatches(int(a.sum()), int(b.sum()), int((a & b).sum()))).value / 60)
        return sum(found) / len(found)

    easy = np.where(np.arange(60) < 30, 0.7, 0.1)
    both_easy = mean_share(lambda: (rng.random(60) < easy, rng.random(60) < easy))
    one_easy = mean_share(lambda: (rng.random(60) < easy, rng.random(60) < 0.4))
    # Large samples: N (E p1)(E p2) / E(p1 p2) = .4 * .4 / .25 = .64, and .4 * .4 / .16 = 1.
    assert both_easy == pytest.approx(0.64, abs=0.02)
    assert one_easy == pytest.approx(1, abs=0.03)
