import numpy as np
import pytest
from scipy import stats as scipy_stats

from tellapart.core.stats.bootstrap import bca_statistic


def ends(estimate):
    return estimate.interval.low, estimate.interval.high


@pytest.mark.parametrize(("seed", "level"), [(0, 0.8), (1, 0.95)])
def test_same_draws_as_scipy_same_interval(seed, level):
    values = np.random.default_rng(seed).gamma(1.5, size=23)
    theirs = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=3000, confidence_level=level, rng=np.random.default_rng(seed)
    )
    (ours,) = bca_statistic(
        lambda w: (w @ values / 23)[:, None], 23, rng=np.random.default_rng(seed), resamples=3000, level=level
    )
    assert ends(ours) == pytest.approx(tuple(theirs.confidence_interval), abs=1e-12)
    assert ours.standard_error == pytest.approx(theirs.standard_error, abs=1e-12)


def test_tied_draws_count_half_as_in_scipy():
    # 7 values of 0 and 1: one draw in three or four repeats the mean exactly.
    values = np.array([0.0, 0, 0, 0, 1, 1, 1])
    theirs = scipy_stats.bootstrap((values,), np.mean, n_resamples=500, rng=np.random.default_rng(5))
    (ours,) = bca_statistic(
        lambda w: (w @ values / 7)[:, None], 7, rng=np.random.default_rng(5), resamples=500
    )
    assert ends(ours) == pytest.approx(tuple(theirs.confidence_interval), abs=1e-12)


def test_a_figure_without_an_interval_says_why():
    def figures(weights):
        with np.errstate(divide="ignore"):
            return np.column_stack([1 / weights[:, 0], weights[:, 0]])

    sometimes, fine = bca_statistic(figures, 3, rng=np.random.default_rng(0), resamples=300)
    # The first group is in none of three draws with chance (2/3)^3 = 30 %.
    assert sometimes.interval is None
    assert sometimes.reason.startswith("undefined in ")
    assert sometimes.value == 1.0
    assert fine.interval is not None
    (lone,) = bca_statistic(lambda w: w, 1, rng=np.random.default_rng(0))
    assert (lone.value, lone.interval, lone.reason) == (1.0, None, "fewer than two groups")


def test_a_figure_that_grows_with_repetition_has_no_interval():
    # The sum of squared weights is smallest on the sample itself, and the same whichever group is left out.
    def figures(weights):
        squares = (weights**2).sum(1)
        return np.column_stack([squares, squares + weights[:, 0] / 99, -squares - weights[:, 0] / 99])

    same, above, below = bca_statistic(figures, 9, rng=np.random.default_rng(0), resamples=50)
    assert (same.interval, same.reason) == (None, "leaving out a group changes nothing")
    assert (above.interval, above.reason) == (None, "all resamples are on one side of the estimate")
    assert (below.interval, below.reason) == (None, "all resamples are on one side of the estimate")
