import numpy as np
import pytest
from scipy import stats as scipy_stats

from reference import stats as reference
from tellapart.core.stats.bootstrap import bca, bca_statistic


def clustered_scores(seed, groups=15):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(groups), rng.integers(1, 6, groups))
    return rng.gamma(2.0, size=groups)[labels] + rng.normal(size=len(labels)), labels


def ends(estimate):
    return estimate.interval.low, estimate.interval.high


def test_two_values_by_hand():
    # Two draws from {0, 1}: the mean is 0, 1/2 or 1 with weights 1/4, 1/2, 1/4. Symmetric, so there is no
    # acceleration, nor bias (a quarter below, half tied) up to sampling error. At level .9 both tails (.05)
    # fall inside the outer atoms (.25), so the interval is all of [0, 1].
    estimate = bca([0.0, 1.0], rng=np.random.default_rng(0), resamples=2000, level=0.9)
    assert estimate.value == 0.5
    assert ends(estimate) == (0.0, 1.0)
    assert estimate.standard_error == pytest.approx(0.125**0.5, abs=0.01)
    assert (estimate.n, estimate.reason) == (2, None)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("seed", range(4))
def test_same_draws_as_scipy_same_interval(seed, level):
    # `bca` resamples the values in sorted order, scipy in the order given; both draw integers row by row.
    values = np.sort(np.random.default_rng(seed).gamma(1.5, size=23))
    theirs = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=3000, confidence_level=level, rng=np.random.default_rng(seed)
    )
    ours = bca(values, rng=np.random.default_rng(seed), resamples=3000, level=level)
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


def test_whole_clusters_are_drawn():
    values, labels = clustered_scores(2)
    sums, sizes = np.bincount(labels, values), np.bincount(labels)
    # The reference takes the clusters in the order in which `bca` does: by size, then by sum.
    renamed = np.argsort(np.lexsort((sums, sizes)))[labels]
    draws = np.random.default_rng(2).integers(0, len(sums), (400, len(sums)))
    slow = reference.bca_of_mean(values.tolist(), renamed.tolist(), draws.tolist(), 0.9)
    estimate = bca(values, clusters=labels, rng=np.random.default_rng(2), resamples=400, level=0.9)
    assert estimate.value == pytest.approx(sums.sum() / sizes.sum(), abs=1e-12)
    assert estimate.n == 15
    assert ends(estimate) == pytest.approx(slow, abs=1e-9)


def test_a_ratio_of_sums_agrees_with_scipys_paired_bootstrap():
    values, labels = clustered_scores(3)
    sums, sizes = np.bincount(labels, values), np.bincount(labels)
    order = np.lexsort((sums, sizes))

    def ratio(x, y, axis):
        return x.sum(axis) / y.sum(axis)

    theirs = scipy_stats.bootstrap(
        (sums[order], sizes[order]), ratio, paired=True, n_resamples=2000, rng=np.random.default_rng(1)
    )
    ours = bca(values, clusters=labels, rng=np.random.default_rng(1), resamples=2000)
    assert ends(ours) == pytest.approx(tuple(theirs.confidence_interval), abs=1e-9)


def test_the_order_of_the_items_does_not_matter():
    values, labels = clustered_scores(4)
    order = np.random.default_rng(0).permutation(len(values))
    straight = bca(values, clusters=labels, rng=np.random.default_rng(4), resamples=300)
    shuffled = bca(values[order], clusters=labels[order], rng=np.random.default_rng(4), resamples=300)
    assert ends(shuffled) == pytest.approx(ends(straight), abs=1e-12)


def test_the_interval_moves_with_the_unit():
    values, labels = clustered_scores(5)
    plain = bca(values, clusters=labels, rng=np.random.default_rng(4), resamples=300)
    scaled = bca(3 + 10 * values, clusters=labels, rng=np.random.default_rng(4), resamples=300)
    assert ends(scaled) == pytest.approx([3 + 10 * end for end in ends(plain)], abs=1e-9)


def test_counting_interchangeable_items_draws_from_the_same_distribution():
    # 2,000 binary items are drawn as one binomial count a resample. The bootstrap standard error is then
    # sqrt(p (1 - p) / n); the acceleration is skewness / (6 sqrt(n)), z_0 about 0: Efron's formula, in the
    # normal limit, gives the ends to the width of the steps (1 / n) and the noise of the quantiles.
    p, n, z = 0.1, 2000, 1.959963984540054
    values = np.arange(n) < p * n
    estimate = bca(values, rng=np.random.default_rng(6), resamples=40_000)
    se, a = (p * (1 - p) / n) ** 0.5, (1 - 2 * p) / (p * (1 - p) * n) ** 0.5 / 6
    assert estimate.standard_error == pytest.approx(se, rel=0.02)
    expected = scipy_stats.binom.ppf(scipy_stats.norm.cdf([-z / (1 + a * z), z / (1 - a * z)]), n, p) / n
    assert ends(estimate) == pytest.approx(tuple(expected), abs=2 / n)


def test_least_squares_on_resampled_clusters():
    # A slope refitted from each cluster's cross-products: against scipy resampling the same clusters.
    rng = np.random.default_rng(9)
    x, labels = rng.normal(size=60), np.repeat(np.arange(12), 5)
    y = 0.7 * x + rng.normal(size=12)[labels] + rng.normal(size=60)
    design = np.column_stack([np.ones(60), x])
    gram = np.stack([design[labels == g].T @ design[labels == g] for g in range(12)])
    cross = np.stack([design[labels == g].T @ y[labels == g] for g in range(12)])

    def coefficients(weights):
        return np.linalg.solve(np.tensordot(weights, gram, 1), (weights @ cross)[..., None])[..., 0]

    def slope(drawn):
        rows = np.concatenate([np.flatnonzero(labels == g) for g in drawn])
        return np.linalg.lstsq(design[rows], y[rows])[0][1]

    theirs = scipy_stats.bootstrap(
        (np.arange(12),), slope, vectorized=False, n_resamples=300, rng=np.random.default_rng(7)
    )
    intercept, ours = bca_statistic(coefficients, 12, rng=np.random.default_rng(7), resamples=300)
    assert ours.value == pytest.approx(np.linalg.lstsq(design, y)[0][1], abs=1e-12)
    assert ends(ours) == pytest.approx(tuple(theirs.confidence_interval), abs=1e-9)
    assert intercept.value == pytest.approx(np.linalg.lstsq(design, y)[0][0], abs=1e-12)


def test_a_closed_form_jackknife_changes_nothing():
    # 800 rows of 800 weights are two blocks.
    values = np.random.default_rng(1).gamma(2.0, size=800)

    def mean(weights):
        return (weights @ values / weights.sum(1))[:, None]

    left = ((values.sum() - values) / 799)[:, None]
    (slow,) = bca_statistic(mean, 800, rng=np.random.default_rng(3), resamples=50)
    (fast,) = bca_statistic(mean, 800, rng=np.random.default_rng(3), resamples=50, leave_one_out=left)
    assert ends(fast) == pytest.approx(ends(slow), abs=1e-12)


@pytest.mark.parametrize(
    ("values", "clusters", "estimate", "reason"),
    [
        ([], None, None, "no values"),
        ([0.3], None, 0.3, "fewer than two values"),
        ([0.25, 0.75], ["a", "a"], 0.5, "all values are in one cluster"),
        ([0.1] * 5, None, pytest.approx(0.1), "the values do not vary"),
        ([0.0] * 5, None, 0.0, "the values do not vary"),
        ([0.1] * 6, ["a", "a", "a", "b", "b", "c"], pytest.approx(0.1), "the values do not vary"),
    ],
)
def test_a_mean_without_an_interval_says_why(values, clusters, estimate, reason):
    result = bca(values, clusters=clusters, rng=np.random.default_rng(0), resamples=50)
    assert (result.value, result.standard_error, result.interval) == (estimate, None, None)
    assert result.reason == reason


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


def test_too_much_skew_for_an_accelerated_interval_is_said():
    # One group in a hundred carries everything; without it the figure drops by a hundred times what any other
    # group moves it, so the acceleration is near its maximum of 1/6, and at this level 1 - z / 6 is negative.
    figure = np.concatenate([[1.0], np.zeros(99)])
    (estimate,) = bca_statistic(
        lambda w: (w @ figure)[:, None], 100, rng=np.random.default_rng(0), resamples=500, level=1 - 1e-10
    )
    assert (estimate.interval, estimate.reason) == (None, "too skewed for an accelerated interval")


@pytest.mark.parametrize(
    ("statistic", "groups", "resamples", "message"),
    [
        (lambda w: w[:, 0], 5, 10, r"returned shape \(1,\)"),
        (lambda w: w, 0, 10, "groups is 0"),
        (lambda w: w, 5, 1, "resamples 1"),
        (lambda w: w, [3, 0], 10, r"groups is \[3, 0\]"),
    ],
)
def test_a_setting_out_of_range_is_named(statistic, groups, resamples, message):
    with pytest.raises(ValueError, match=message):
        bca_statistic(statistic, groups, rng=np.random.default_rng(0), resamples=resamples)
