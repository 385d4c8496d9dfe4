import numpy as np
import pytest
from scipy.stats import binomtest, ttest_rel
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import mcnemar

from reference import stats as reference
from tellapart.core.estimate import Interval
from tellapart.core.stats import Discordant, clustered_mean, discordant, mcnemar_exact, paired_difference


def test_mcnemar_by_hand():
    # One against five: the tail of 6 fair coins is 1 + 6 of 64, doubled.
    assert mcnemar_exact(1, 5) == pytest.approx(14 / 64, abs=1e-15)
    assert mcnemar_exact(5, 1) == mcnemar_exact(1, 5)
    assert mcnemar_exact(0, 0) == 1.0
    assert mcnemar_exact(3, 3) == 1.0


def test_mcnemar_is_1_where_every_outcome_is_as_extreme():
    assert {mcnemar_exact(k, k + more) for k in range(300) for more in (0, 1)} == {1.0}
    assert max(mcnemar_exact(k, k + 2) for k in range(300)) < 1


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 1), (0, 6), (2, 9), (40, 61), (480, 560), (4, 5)])
def test_mcnemar_agrees_with_statsmodels_and_the_definition(only_a, only_b):
    ours = mcnemar_exact(only_a, only_b)
    assert ours == pytest.approx(mcnemar([[7, only_a], [only_b, 3]], exact=True).pvalue, abs=1e-9)
    assert ours == pytest.approx(reference.mcnemar(only_a, only_b), abs=1e-9)
    assert ours == pytest.approx(binomtest(only_a, only_a + only_b).pvalue, abs=1e-9)


def test_a_negative_count_is_named():
    with pytest.raises(ValueError, match="are -1 and 2"):
        mcnemar_exact(-1, 2)


def test_discordant_items_are_counted():
    nan = float("nan")
    assert discordant([1, 1, 0, 0, 1, nan, 1], [1, 0, 1, 0, 0, 0, nan]) == Discordant(only_a=2, only_b=1)
    assert discordant([], []) == Discordant(0, 0)


def test_discordance_needs_right_and_wrong():
    with pytest.raises(ValueError, match="neither 0 nor 1"):
        discordant([0.5, 1], [1, 0])


def test_paired_difference_by_hand():
    # Gaps 1, 0, 1, -1, 1: mean .4; squares around it .36 * 3 + .16 + 1.96 = 3.2, so the variance is .8, the
    # standard error sqrt(.8 / 5) = .4, t = 1 with 4 degrees of freedom: p = .37390.
    result = paired_difference([1, 1, 1, 0, 1], [0, 1, 0, 1, 0])
    assert result.difference == pytest.approx(0.4, abs=1e-15)
    assert result.sd == pytest.approx(0.8**0.5, abs=1e-15)
    assert result.standard_error == pytest.approx(0.4, abs=1e-15)
    assert result.p_clustered == pytest.approx(0.373900966300059, abs=1e-12)
    half = 2.7764451051977987 * 0.4
    assert result.interval == Interval(pytest.approx(0.4 - half), pytest.approx(0.4 + half))
    # Three against one of four discordant: 2 * (1 + 4) / 16.
    assert result.p_mcnemar == pytest.approx(10 / 16, abs=1e-15)
    assert (result.n, result.n_missing, result.n_clusters, result.binary) == (5, 0, 5, True)


def test_without_clusters_it_is_the_paired_t_test():
    rng = np.random.default_rng(0)
    a, b = rng.random(40), rng.random(40)
    theirs = ttest_rel(a, b)
    ours = paired_difference(a, b, level=0.9)
    low, high = theirs.confidence_interval(0.9)
    assert ours.p_clustered == pytest.approx(theirs.pvalue, abs=1e-12)
    assert (ours.interval.low, ours.interval.high) == pytest.approx((low, high), abs=1e-12)
    assert ours.p_mcnemar is None
    assert not ours.binary


def test_with_clusters_it_is_the_clustered_regression():
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(20), 4)
    a, b = rng.random(80) + rng.random(20)[labels], rng.random(80)
    fit = OLS(a - b, np.ones(80)).fit(cov_type="cluster", cov_kwds={"groups": labels}, use_t=True)
    ours = paired_difference(a, b, labels)
    assert ours.standard_error == pytest.approx(fit.bse[0], rel=1e-12)
    assert ours.p_clustered == pytest.approx(fit.pvalues[0], rel=1e-9)
    assert ours.design_effect == pytest.approx(clustered_mean(a - b, labels).design_effect, rel=1e-12)


def test_mcnemar_is_not_the_answer_where_clusters_repeat():
    # Ten copies of five items, A better on three and B on one: McNemar takes the copies for evidence.
    a, b = np.repeat([1, 1, 1, 0, 1], 10), np.repeat([0, 0, 0, 1, 1], 10)
    copies = paired_difference(a, b, np.repeat(np.arange(5), 10))
    once = paired_difference([1, 1, 1, 0, 1], [0, 0, 0, 1, 1])
    assert copies.p_mcnemar == pytest.approx(reference.mcnemar(30, 10), abs=1e-9)
    assert copies.p_clustered == pytest.approx(once.p_clustered, rel=1e-12)


def test_a_missing_score_leaves_the_pair_out():
    nan = float("nan")
    full = paired_difference([0.2, 0.9, 0.4], [0.1, 0.3, 0.8], ["x", "x", "y"])
    holed = paired_difference([0.2, nan, 0.9, 0.4, 1], [0.1, 0.5, 0.3, 0.8, nan], ["x", "y", "x", "y", "z"])
    assert holed.n_missing == 2
    assert holed.n_clusters == 2
    assert (holed.difference, holed.interval, holed.p_clustered) == (
        full.difference,
        full.interval,
        full.p_clustered,
    )


def test_exchanging_the_models_turns_the_sign():
    rng = np.random.default_rng(2)
    a, b, labels = rng.random(30), rng.random(30), rng.integers(0, 9, 30)
    forward, backward = paired_difference(a, b, labels), paired_difference(b, a, labels)
    assert backward.difference == pytest.approx(-forward.difference, abs=1e-15)
    assert backward.interval.low == pytest.approx(-forward.interval.high, abs=1e-12)
    assert backward.p_clustered == pytest.approx(forward.p_clustered, rel=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "clusters", "difference", "p_mcnemar", "reason"),
    [
        ([], [], None, None, None, "no values"),
        ([1.0], [0.0], None, 1.0, 1.0, "fewer than two values"),
        ([0.5, 0.7], [0.5, 0.7], None, 0.0, None, "the values do not vary"),
        ([1, 0, 1], [1, 0, 1], None, 0.0, 1.0, "the values do not vary"),
        ([1, 1, 1], [0, 0, 0], None, 1.0, 0.25, "the values do not vary"),
        ([1, 0, 1], [0, 0, 1], [7, 7, 7], pytest.approx(1 / 3), 1.0, "all values are in one cluster"),
    ],
)
def test_a_difference_without_an_interval_says_why(a, b, clusters, difference, p_mcnemar, reason):
    result = paired_difference(a, b, clusters)
    assert (result.difference, result.standard_error, result.interval) == (difference, None, None)
    assert (result.p_mcnemar, result.p_clustered, result.reason) == (p_mcnemar, None, reason)


def test_two_pairs_have_a_standard_deviation_and_one_has_none():
    assert paired_difference([0.5, 0.9], [0.5, 0.5]).sd == pytest.approx(0.08**0.5, abs=1e-15)
    assert paired_difference([0.5], [0.9]).sd is None


@pytest.mark.parametrize(
    ("a", "b", "clusters", "message"),
    [
        ([1, 0], [1], None, "a and b have 2 and 1 entries"),
        ([1, 0], [1, float("inf")], None, r"b\[1\] is .*inf"),
        ([1, 0], [1, 1], ["x"], r"clusters has shape \(1,\), expected \(2,\)"),
        ([[1, 0]], [[1, 1]], None, r"a has shape \(1, 2\)"),
    ],
)
def test_what_cannot_be_paired_is_named(a, b, clusters, message):
    with pytest.raises(ValueError, match=message):
        paired_difference(a, b, clusters)
