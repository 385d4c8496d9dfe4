import numpy as np
import pytest
from scipy.stats import t as student
from statsmodels.stats.proportion import proportion_confint

from tellapart.core.stats.intervals import clustered_mean, clustered_rate, wilson


def test_wilson_by_hand():
    # p = 1/2, n = 4, and z^2 = 4 at level P(|Z| < 2): centre (1/2 + 4/8) / (1 + 1) = 1/2;
    # half-width 2 / 2 * sqrt(1/16 + 4/64) = sqrt(1/8).
    interval = wilson(2, 4, level=0.954499736103642)
    assert interval is not None
    assert interval.low == pytest.approx(0.5 - 0.125**0.5, abs=1e-12)
    assert interval.high == pytest.approx(0.5 + 0.125**0.5, abs=1e-12)


@pytest.mark.parametrize(("successes", "n"), [(0, 7), (3, 7), (7, 7), (2.5, 7), (481, 1000)])
def test_wilson_agrees_with_statsmodels(successes, n):
    expected = proportion_confint(successes, n, alpha=0.1, method="wilson")
    assert tuple(wilson(successes, n, level=0.9)) == pytest.approx(expected, abs=1e-12)


def test_clustered_mean_by_hand():
    # Sizes 2 1 1 are 16 / 6 = 8/3 clusters. Values 1 3 | 5 | 7: mean 4, residual sums -4 | 1 | 3, so
    # 26 / 4^2 * 8/5 = 13/5. Unclustered: 20 / 3 / 4 = 5/3. Design effect 13/5 * 3/5.
    estimate = clustered_mean([1, 3, 5, 7], ["a", "a", "b", "c"])
    half = student.ppf(0.975, 5 / 3) * (13 / 5) ** 0.5
    assert estimate.value == 4.0
    assert estimate.standard_error == pytest.approx((13 / 5) ** 0.5, abs=1e-15)
    assert [*estimate.interval] == pytest.approx([4 - half, 4 + half], abs=1e-12)
    assert (estimate.n, estimate.n_clusters) == (4, 3)
    assert estimate.design_effect == pytest.approx(39 / 25, abs=1e-15)
    assert estimate.reason is None


@pytest.mark.parametrize(
    ("values", "clusters", "mean", "reason"),
    [
        ([], None, None, "no values"),
        ([0.3], None, 0.3, "fewer than two values"),
        ([0.1, 0.2], ["a", "a"], pytest.approx(0.15), "all values are in one cluster"),
        ([0.0, 1e-200], None, pytest.approx(0, abs=1e-99), "the values do not vary"),
        ([0.1] * 7, None, pytest.approx(0.1), "the values do not vary"),
        ([0.1, 0.7, 0.7, 0.1], ["a", "a", "b", "b"], pytest.approx(0.4), "the clusters do not differ"),
    ],
)
def test_a_mean_without_an_interval_says_why(values, clusters, mean, reason):
    estimate = clustered_mean(values, clusters)
    assert (estimate.value, estimate.standard_error, estimate.interval) == (mean, None, None)
    assert estimate.reason == reason


def test_clustered_rate_by_hand():
    # 1 1 | 0 0 | 1 0: p = 1/2, residual sums 1, -1, 0; variance 2 / 36 * 3/2 = 1/12. Coin flips:
    # 1/4 / 5 = 1/20. Design effect 5/3, and 2 of clusters that never mix, which has a weight of .7 with three
    # passes: 1.9. The price of estimating the first from three clusters makes it larger than 2.
    estimate = clustered_rate([1, 1, 0, 0, 1, 0], [1, 1, 2, 2, 3, 3])
    known = (student.ppf(0.975, 5) / student.ppf(0.975, 2)) ** 2
    assert estimate.value == 0.5
    assert (estimate.n, estimate.n_clusters) == (6, 3)
    assert estimate.design_effect == pytest.approx(1.9, abs=1e-15)
    assert estimate.effective_n == pytest.approx(6 * 3 / 5 * known, rel=1e-12)
    assert estimate.interval == wilson(3, 6, effective_n=estimate.effective_n)


def test_a_perfect_rate_still_has_an_interval():
    estimate = clustered_rate([1.0] * 20)
    assert (estimate.design_effect, estimate.effective_n) == (1.0, 20.0)
    assert estimate.interval == wilson(20, 20)
    # Four clusters that may never mix are four passes.
    few = clustered_rate([1.0] * 20, np.repeat(np.arange(4), 5))
    assert few.design_effect == 5.0
    assert few.effective_n == 4.0
    assert few.interval == wilson(4, 4)


def share_covering(estimates, truth):
    return np.mean([truth in estimate.interval for estimate in estimates])


def test_clustered_intervals_cover_and_unclustered_ones_do_not():
    # 20 files of 10 questions; a file's rate is Beta(2.8, 1.2), so p = .7 and the correlation within a file
    # is 1 / (1 + 4) = .2, the design effect 1 + 9 * .2 = 2.8: ignoring it, z is 1.96 / sqrt(2.8) = 1.17 and
    # coverage 76 %. 4,000 repetitions: the Monte-Carlo error of 95 % is .0034, of 76 % .0068; three of each.
    rng, labels = np.random.default_rng(11), np.repeat(np.arange(20), 10)
    runs = [rng.random(200) < np.repeat(rng.beta(2.8, 1.2, 20), 10) for _ in range(4000)]
    nominal, ignorant = pytest.approx(0.95, abs=0.0103), pytest.approx(0.76, abs=0.0203)
    assert share_covering([clustered_rate(run, labels) for run in runs], 0.7) == nominal
    assert share_covering([clustered_mean(run, labels) for run in runs], 0.7) == nominal
    assert share_covering([clustered_rate(run) for run in runs], 0.7) == ignorant
    assert share_covering([clustered_mean(run) for run in runs], 0.7) == ignorant
