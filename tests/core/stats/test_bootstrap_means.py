import numpy as np
import pytest

from reference import stats as reference
from tellapart.core.stats import bootstrap
from tellapart.core.stats.bootstrap import bca, bootstrap_means


def table(seed, models=3, items=60):
    rng = np.random.default_rng(seed)
    return rng.gamma(1.5, size=(models, items)) + rng.gamma(1.0, size=items)


def ends(estimate):
    return estimate.interval.low, estimate.interval.high


def test_one_model_has_the_interval_of_its_mean():
    for row in np.sort(table(0), axis=1):
        ours = bootstrap_means([row], rng=np.random.default_rng(1), resamples=2000, level=0.8)
        theirs = bca(row, rng=np.random.default_rng(1), resamples=2000, level=0.8)
        assert ends(ours.means[0]) == pytest.approx(ends(theirs), abs=1e-9)
        assert ours.percentiles[0].low < theirs.value < ours.percentiles[0].high


def test_whole_clusters_are_drawn_and_means_are_over_what_there_is():
    rng = np.random.default_rng(5)
    scores, labels = table(5), np.arange(60) % 8
    for model, lost in ((0, 9), (1, 15)):
        scores[model, rng.choice(60, lost, replace=False)] = np.nan
    ours = bootstrap_means(scores, clusters=labels, rng=np.random.default_rng(7), resamples=500, level=0.9)
    draws = np.random.default_rng(7).integers(0, 8, (500, 8)).tolist()
    for a in range(3):
        known = ~np.isnan(scores[a])
        slow = reference.bca_of_mean(scores[a][known].tolist(), labels[known].tolist(), draws, 0.9)
        assert ends(ours.means[a]) == pytest.approx(slow, abs=1e-9)
        assert ours.means[a].n == 8


@pytest.mark.parametrize("kind", ["few kinds", "many groups"])
def test_what_is_drawn_together_gives_the_same_interval_within_its_noise(kind, monkeypatch):
    # An end of an interval from 10,000 resamples is off by sqrt(p (1 - p) / 10,000) over the density:
    # 0.027 standard errors at p = .025. Both intervals are, so 4 x sqrt(2) x 0.027 = 0.15 is far out.
    monkeypatch.setattr(bootstrap, "_MOST_GROUPS", 2000)
    scores = table(6, models=2, items=5000) if kind == "many groups" else table(6, 2, 5000).round()
    ours = bootstrap_means(scores, rng=np.random.default_rng(0)).means
    for row, estimate in zip(scores, ours, strict=True):
        theirs = bca(row, rng=np.random.default_rng(1))
        apart = np.subtract(ends(estimate), ends(theirs))
        assert apart == pytest.approx([0, 0], abs=0.15 * theirs.standard_error)
        # Of 2,000 sums of groups the standard deviation is off by 1 / sqrt(4,000).
        assert estimate.standard_error == pytest.approx(theirs.standard_error, rel=0.05)


def test_the_order_of_models_and_items_does_not_matter():
    scores, labels = table(8), np.random.default_rng(8).permutation(60)
    scores[1, :7] = np.nan
    straight = bootstrap_means(scores, clusters=labels, rng=np.random.default_rng(0), resamples=300)
    order = np.random.default_rng(9).permutation(60)
    shuffled = bootstrap_means(
        scores[::-1, order], clusters=labels[order], rng=np.random.default_rng(0), resamples=300
    )
    for one, other in zip(straight.means, shuffled.means[::-1], strict=True):
        assert ends(one) == pytest.approx(ends(other), abs=1e-9)


def test_a_shift_and_a_unit_move_the_figures_alone():
    scores = table(10)
    plain = bootstrap_means(scores, rng=np.random.default_rng(0), resamples=300)
    moved = bootstrap_means(1e9 + 1e3 * scores, rng=np.random.default_rng(0), resamples=300)
    assert ends(moved.means[0]) == pytest.approx([1e9 + 1e3 * end for end in ends(plain.means[0])], rel=1e-12)


@pytest.mark.parametrize(
    ("scores", "clusters", "reason"),
    [
        ([], None, "no values"),
        ([np.nan, np.nan], None, "no values"),
        ([0.3], None, "fewer than two values"),
        ([0.3, np.nan], None, "fewer than two values"),
        ([0.3, 0.2, 0.4], ["a", "a", "a"], "all values are in one cluster"),
        ([0.3, 0.2, np.nan], ["a", "a", "b"], "all values are in one cluster"),
        ([0.3, 0.3, 0.3], None, "the values do not vary"),
    ],
)
def test_a_mean_without_an_interval_says_why(scores, clusters, reason):
    (found,) = bootstrap_means([scores], clusters=clusters, rng=np.random.default_rng(0), resamples=50).means
    assert (found.interval, found.standard_error, found.reason) == (None, None, reason)
    known = [score for score in scores if not np.isnan(score)]
    assert found.value == (pytest.approx(np.mean(known), abs=1e-12) if known else None)


def test_a_resample_without_a_score_is_reported():
    scores = np.array([[0.1, 0.2, np.nan, np.nan, np.nan], [0.4, 0.3, 0.2, 0.1, 0.9]])
    found = bootstrap_means(scores, rng=np.random.default_rng(0), resamples=100)
    # Two of five items have a score; none of five draws is one of them, with chance (3/5)^5 = 8 %.
    assert found.means[0].reason.startswith("undefined in ")
    assert (found.means[0].interval, found.percentiles[0]) == (None, None)
    assert found.means[1].interval is not None


@pytest.mark.parametrize(
    ("settings", "message"), [({"resamples": 1}, "resamples is 1"), ({"level": 1.0}, "level is 1.0")]
)
def test_a_setting_out_of_range_is_named(settings, message):
    with pytest.raises(ValueError, match=message):
        bootstrap_means(table(14), rng=np.random.default_rng(0), **settings)
