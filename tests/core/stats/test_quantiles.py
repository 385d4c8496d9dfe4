import numpy as np
import pytest
from scipy import stats as scipy_stats

from reference import quantiles as reference
from tellapart.core.stats import QuantileDifference, quantile_differences
from tellapart.core.stats.quantiles import resampled_differences


class EachOnce:
    """Draws every cluster exactly once, which must give the sample's own figures back."""

    def multinomial(self, n, shares):
        return np.rint(n * np.asarray(shares)).astype(np.int64)

    def integers(self, low, high, size):
        assert (low, size) == (0, high)
        return np.arange(high)


def pairs(seed, n, clusters=None):
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=n) if clusters is None else rng.normal(size=clusters.max() + 1)[clusters]
    a = hard + rng.normal(size=n)
    return a, 0.9 * hard + 0.6 * rng.normal(size=n) - 0.1


def ends(found):
    return found.interval.low, found.interval.high


def test_two_pairs_by_hand():
    # Drawn are the first twice (1/4), both (1/2) or the second twice (1/4): medians of a are 0, 1/2, 1, those
    # of b 0. The 2.5 % tails are inside the outer quarters. A quarter is at 0: p is 1/2.
    (found,) = quantile_differences([0, 1], [0, 0], [0.5], rng=np.random.default_rng(0), resamples=10_000)
    assert (found.difference, ends(found), found.n, found.n_clusters) == (0.5, (0.0, 1.0), 2, 2)
    assert found.p_value == pytest.approx(0.5, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_draws_are_those_of_every_way_to_draw_clusters(share):
    a, b = [3.0, 1, 4, 1.5, 9, 2], [2.0, 7, 1, 8, 2.5, 8.5]
    clusters = ["x", "y", "y", "z", "z", "z"]
    every = reference.all_differences(a, b, clusters, share)
    (found,) = quantile_differences(
        a, b, [share], rng=np.random.default_rng(4), clusters=clusters, resamples=10_000, level=0.6
    )
    assert found.difference == pytest.approx(reference.quantile(a, share) - reference.quantile(b, share))
    sides = min(sum(d <= 0 for d in every), sum(d >= 0 for d in every)) / len(every)
    assert found.p_value == pytest.approx(min(1.0, 2 * sides), abs=0.03)
    drawn = resampled_differences(
        np.array(a), np.array(b), np.array([0, 1, 1, 2, 2, 2]), np.array([share]), 10_000,
        np.random.default_rng(4),
    )  # fmt: skip
    # 27 ways, some of the same difference: each difference as often as it should be.
    for value in set(every):
        expected = np.mean([abs(d - value) < 1e-9 for d in every])
        assert np.mean(np.abs(drawn[:, 0] - value) < 1e-9) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("cluster_size", [1, 3])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_lumps_stand_where_their_values_do(share, cluster_size):
    # 30,000 values, most of them beyond reach: drawn once each they give the sample's quantiles exactly.
    clusters = np.random.default_rng(1).permutation(30_000) // cluster_size
    a, b = pairs(2, 30_000, clusters)
    drawn = resampled_differences(a, b, clusters, np.array([share, 0.3]), 2, EachOnce())
    expected = np.quantile(a, [share, 0.3]) - np.quantile(b, [share, 0.3])
    assert drawn == pytest.approx(np.tile(expected, (2, 1)), abs=1e-12)


def test_lumped_draws_are_distributed_as_plain_ones():
    clusters = np.arange(6000) // 2
    a, b = pairs(3, 6000, clusters)
    shares = np.array([0.5, 0.1])
    lumped = resampled_differences(a, b, clusters, shares, 1500, np.random.default_rng(5))
    rng = np.random.default_rng(6)
    plain = np.empty_like(lumped)
    for row in plain:
        chosen = 2 * rng.integers(0, 3000, 3000)
        items = np.concatenate([chosen, chosen + 1])
        row[:] = np.quantile(a[items], shares) - np.quantile(b[items], shares)
    for k in range(2):
        assert scipy_stats.ks_2samp(lumped[:, k], plain[:, k]).pvalue > 0.05


def test_a_quantile_beyond_reach_is_drawn_anew(monkeypatch):
    a, b = pairs(7, 2000)
    plain = resampled_differences(a, b, np.arange(2000), np.array([0.5]), 500, np.random.default_rng(8))
    monkeypatch.setattr("tellapart.core.stats.quantiles._REACH", 0.01)
    drawn = resampled_differences(a, b, np.arange(2000), np.array([0.5]), 500, np.random.default_rng(9))
    assert scipy_stats.ks_2samp(drawn[:, 0], plain[:, 0]).pvalue > 0.05


def test_agrees_with_scipy():
    a, b = pairs(9, 150)
    ours = quantile_differences(a, b, [0.5, 0.1], rng=np.random.default_rng(10), resamples=10_000)
    for found, share in zip(ours, [0.5, 0.1], strict=True):
        theirs = scipy_stats.bootstrap(
            (a, b),
            lambda x, y, axis, q=share: np.quantile(x, q, axis=axis) - np.quantile(y, q, axis=axis),
            paired=True,
            method="percentile",
            n_resamples=10_000,
            rng=np.random.default_rng(11),
        ).confidence_interval
        assert ends(found) == pytest.approx(tuple(theirs), abs=0.03)
        assert found.difference == np.quantile(a, share) - np.quantile(b, share)


def test_zero_is_outside_the_interval_where_p_is_small():
    a, b = pairs(12, 200)
    for shift in np.linspace(-0.4, 0.4, 17):
        (found,) = quantile_differences(a + shift, b, [0.5], rng=np.random.default_rng(13), resamples=999)
        assert (0 not in found.interval) == (found.p_value < 0.05)


def test_models_swapped_turn_the_signs_and_keep_p():
    clusters = np.arange(90) % 40
    a, b = pairs(14, 90, clusters)
    forth = quantile_differences(a, b, [0.5, 0.9], rng=np.random.default_rng(15), clusters=clusters)
    back = quantile_differences(b, a, [0.5, 0.9], rng=np.random.default_rng(15), clusters=clusters)
    for one, other in zip(forth, back, strict=True):
        assert (one.difference, one.p_value) == (-other.difference, other.p_value)
        assert ends(one) == pytest.approx((-other.interval.high, -other.interval.low), abs=1e-12)


def test_the_order_of_clustered_items_is_irrelevant():
    clusters = np.arange(90) % 40
    a, b = pairs(16, 90, clusters)
    order = np.random.default_rng(17).permutation(90)
    first = quantile_differences(a, b, [0.1], rng=np.random.default_rng(18), clusters=clusters)
    second = quantile_differences(
        a[order], b[order], [0.1], rng=np.random.default_rng(18), clusters=clusters[order]
    )
    assert first == second


@pytest.mark.parametrize(
    ("a", "b", "clusters", "difference", "reason"),
    [
        ([], [], None, None, "no values"),
        ([2.0], [0.5], None, 1.5, "fewer than two values"),
        ([1.0, 3.0], [0.0, 0.0], ["x", "x"], 2.0, "all values are in one cluster"),
        ([1.0, 3.0], [1.0, 3.0], None, 0.0, "the values do not vary"),
        # The last is the median only where 26 of the 51 drawn are it.
        ([0.0] * 50 + [1.0], [0.0] * 50 + [2.0], None, 0.0, "it is the same in every resample"),
        # 0.1 + 0.2 is not 0.3: a shift by the same amount varies by rounding only.
        ([0.3, 0.5, 0.7], [0.1, 0.3, 0.5], None, pytest.approx(0.2), "the values do not vary"),
    ],
)
def test_what_cannot_be_tested_says_why(a, b, clusters, difference, reason):
    n_clusters = len(set(clusters)) if clusters else len(a)
    assert quantile_differences(a, b, [0.5], rng=np.random.default_rng(0), clusters=clusters) == (
        QuantileDifference(0.5, difference, None, None, len(a), n_clusters, 2000, reason),
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"quantiles": [1.5]}, "quantiles are"),
        ({"resamples": 1}, "resamples 1"),
        ({"level": 1.0}, "level is 1.0"),
        ({"b": [1.0]}, "2 and 1 entries"),
        ({"a": [float("nan"), 1.0]}, r"a\[0\] is"),
    ],
)
def test_settings_out_of_range_are_refused(changes, message):
    asked = {"a": [1.0, 2.0], "b": [0.0, 1.0], "quantiles": [0.5], "rng": np.random.default_rng(0)} | changes
    with pytest.raises(ValueError, match=message):
        quantile_differences(asked.pop("a"), asked.pop("b"), asked.pop("quantiles"), **asked)
