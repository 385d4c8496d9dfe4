from itertools import combinations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from reference import stats as reference
from tellapart.core.stats import bca, paired_bootstrap, paired_resampling
from tellapart.core.stats.resampled_counts import count_draws


class Replayed(np.random.Generator):
    """Gives scipy draws that are already made, whatever it asks for."""

    def __init__(self, draws):
        super().__init__(np.random.PCG64(0))
        self.draws, self.at = draws, 0

    def integers(self, low, high=None, size=None, **_):
        rows = self.draws[self.at : self.at + size[0]]
        self.at += size[0]
        assert rows.shape == tuple(size)
        return rows


def draws_of(groups, resamples, seed):
    """The draws behind the counts that the same generator gives."""
    counts = np.zeros((resamples, groups), dtype=np.int64)

    def over(tile):
        def add(rows, drawn):
            counts[rows, tile] = drawn

        return add

    count_draws(groups, resamples, np.random.default_rng(seed), over)
    return np.stack([np.repeat(np.arange(groups), row) for row in counts])


def table(seed, models=3, items=60):
    rng = np.random.default_rng(seed)
    return rng.gamma(1.5, size=(models, items)) + rng.gamma(1.0, size=items)


def ends(estimate):
    return estimate.interval.low, estimate.interval.high


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("seed", range(3))
def test_scipys_intervals_on_the_same_draws(seed, level):
    scores = table(seed)
    ours = paired_bootstrap(scores, rng=np.random.default_rng(seed), resamples=2000, level=level)
    draws = draws_of(60, 2000, seed)

    def scipys(data, statistic, method):
        return scipy_stats.bootstrap(
            data, statistic, paired=True, n_resamples=2000, confidence_level=level, method=method,
            vectorized=True, rng=Replayed(draws),
        )  # fmt: skip

    def difference(x, y, axis):
        return x.mean(axis) - y.mean(axis)

    for (a, b), found in zip(combinations(range(3), 2), ours.differences, strict=True):
        theirs = scipys((scores[a], scores[b]), difference, "BCa")
        assert ends(found) == pytest.approx(tuple(theirs.confidence_interval), abs=1e-9)
        assert found.standard_error == pytest.approx(theirs.standard_error, abs=1e-9)
        assert found.estimate == pytest.approx(np.mean(scores[a] - scores[b]), abs=1e-9)
    for a in range(3):
        theirs = scipys((scores[a],), np.mean, "BCa")
        assert ends(ours.means[a]) == pytest.approx(tuple(theirs.confidence_interval), abs=1e-9)
        plain = scipys((scores[a],), np.mean, "percentile").confidence_interval
        assert (ours.percentiles[a].low, ours.percentiles[a].high) == pytest.approx(tuple(plain), abs=1e-9)
        assert ours.percentiles[a].level == level


def test_whole_clusters_are_drawn_and_pairs_compared_on_common_items():
    rng = np.random.default_rng(5)
    scores, labels = table(5), np.arange(60) % 8
    for model, lost in ((0, 9), (1, 15)):
        scores[model, rng.choice(60, lost, replace=False)] = np.nan
    ours = paired_bootstrap(scores, clusters=labels, rng=np.random.default_rng(7), resamples=500, level=0.9)
    draws = draws_of(8, 500, 7).tolist()
    for (a, b), found in zip(combinations(range(3), 2), ours.differences, strict=True):
        common = ~np.isnan(scores[a] - scores[b])
        gaps = (scores[a] - scores[b])[common]
        slow = reference.bca_of_mean(gaps.tolist(), labels[common].tolist(), draws, 0.9)
        assert ends(found) == pytest.approx(slow, abs=1e-9)
        assert found.estimate == pytest.approx(gaps.mean(), abs=1e-9)
        assert found.n_groups == 8
    for a in range(3):
        known = ~np.isnan(scores[a])
        slow = reference.bca_of_mean(scores[a][known].tolist(), labels[known].tolist(), draws, 0.9)
        assert ends(ours.means[a]) == pytest.approx(slow, abs=1e-9)


def test_other_draws_give_the_same_interval_within_their_noise():
    # An end of an interval from 10,000 resamples is off by sqrt(p (1 - p) / 10,000) over the density:
    # 0.027 standard errors at p = .025. Both intervals are, so 4 x sqrt(2) x 0.027 = 0.15 is far out.
    scores = table(6, models=2, items=5000)
    ours = paired_bootstrap(scores, rng=np.random.default_rng(0)).differences[0]
    theirs = bca(scores[0] - scores[1], rng=np.random.default_rng(1))
    assert np.subtract(ends(ours), ends(theirs)) == pytest.approx([0, 0], abs=0.15 * theirs.standard_error)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.04)


def test_of_few_kinds_of_many_items_how_many_are_drawn_is_as_good_as_which(monkeypatch):
    scores = (np.random.default_rng(3).random((3, 6000)) < [[0.8], [0.75], [0.3]]).astype(float)
    usual = paired_bootstrap(scores, rng=np.random.default_rng(0))
    monkeypatch.setattr(paired_resampling, "_MANY", 6000)
    by_kind = paired_bootstrap(scores, rng=np.random.default_rng(0))
    for ours, theirs in zip(
        by_kind.means + by_kind.differences, usual.means + usual.differences, strict=True
    ):
        assert ours.estimate == theirs.estimate
        assert ours != theirs
        assert np.subtract(ends(ours), ends(theirs)) == pytest.approx(
            [0, 0], abs=0.15 * theirs.standard_error
        )
        assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.04)
    # The draws stay the same if the models change places.
    turned = paired_bootstrap(scores[::-1], rng=np.random.default_rng(0))
    assert turned.means == by_kind.means[::-1]
    monkeypatch.setattr(paired_resampling, "_ROWS", 77)
    assert paired_bootstrap(scores, rng=np.random.default_rng(0)) == by_kind


def test_the_order_of_models_and_items_does_not_matter():
    scores, labels = table(8), np.random.default_rng(8).permutation(60)
    scores[1, :7] = np.nan
    straight = paired_bootstrap(scores, clusters=labels, rng=np.random.default_rng(0), resamples=300)
    order = np.random.default_rng(9).permutation(60)
    shuffled = paired_bootstrap(
        scores[::-1, order], clusters=labels[order], rng=np.random.default_rng(0), resamples=300
    )
    assert shuffled.means == straight.means[::-1]
    assert shuffled.percentiles == straight.percentiles[::-1]
    for there, back in ((0, 2), (1, 1), (2, 0)):
        low, high = ends(straight.differences[there])
        assert ends(shuffled.differences[back]) == pytest.approx((-high, -low), abs=1e-12)


def test_a_shift_and_a_unit_move_the_figures_alone():
    scores = table(10)
    plain = paired_bootstrap(scores, rng=np.random.default_rng(0), resamples=300)
    moved = paired_bootstrap(1e9 + 1e3 * scores, rng=np.random.default_rng(0), resamples=300)
    assert ends(moved.differences[0]) == pytest.approx(
        [1e3 * end for end in ends(plain.differences[0])], rel=1e-6
    )
    assert ends(moved.means[0]) == pytest.approx([1e9 + 1e3 * end for end in ends(plain.means[0])], rel=1e-12)


def test_pairs_are_the_same_however_many_are_held_at_once(monkeypatch):
    scores = table(11, models=5)
    scores[0, :9] = scores[2, 5:20] = scores[4, 0] = np.nan
    usual = paired_bootstrap(scores, rng=np.random.default_rng(0), resamples=200)
    monkeypatch.setattr(paired_resampling, "_PAIRS", 2)
    assert paired_bootstrap(scores, rng=np.random.default_rng(0), resamples=200) == usual


def test_the_generator_is_left_as_it_was():
    rng = np.random.default_rng(0)
    first = paired_bootstrap(table(12), rng=rng, resamples=100)
    assert paired_bootstrap(table(12), rng=rng, resamples=100) == first
    assert rng.random() == np.random.default_rng(0).random()


@pytest.mark.parametrize(
    ("scores", "clusters", "reason"),
    [
        ([[], []], None, "no values"),
        ([[0.3], [0.1]], None, "fewer than two values"),
        ([[0.3, 0.2, np.nan], [0.1, np.nan, 0.9]], None, "fewer than two values"),
        ([[0.3, np.nan], [np.nan, 0.9]], None, "no values"),
        ([[0.3, 0.2, 0.4], [0.1, 0.5, 0.9]], ["a", "a", "a"], "all values are in one cluster"),
        ([[0.3, 0.2, np.nan], [0.1, 0.5, 0.9]], ["a", "a", "b"], "all values are in one cluster"),
        ([[0.3, 0.2, 0.4], [0.3, 0.2, 0.4]], None, "the values do not vary"),
        ([[1.0] * 4, [0.0] * 4], None, "the values do not vary"),
    ],
)  # fmt: skip
def test_a_difference_without_an_interval_says_why(scores, clusters, reason):
    (found,) = paired_bootstrap(
        scores, clusters=clusters, rng=np.random.default_rng(0), resamples=50
    ).differences
    assert (found.interval, found.standard_error, found.reason) == (None, None, reason)
    gaps = np.subtract(*np.array(scores))
    expected = None if np.isnan(gaps).all() else pytest.approx(np.nanmean(gaps), abs=1e-12)
    assert found.estimate == expected


def test_a_constant_difference_does_not_vary_however_it_is_rounded():
    # a - b is 0.001 everywhere but for rounding, and clusters differ in size.
    second = np.random.default_rng(0).random(50)
    (found,) = paired_bootstrap(
        np.stack([second + 0.001, second]), clusters=np.arange(50) // 7, rng=np.random.default_rng(0)
    ).differences
    assert (found.interval, found.reason) == (None, "the values do not vary")
    assert found.estimate == pytest.approx(0.001, abs=1e-12)


def test_tied_resamples_count_half_as_in_scipy():
    # Scores in fifths are no whole numbers of any power of two; sums of different items are still ties.
    scores = np.array([[0.2, 0.4, 0.6, 0.8, 0.4, 0.2, 1.0], [0.2] * 7])
    ours = paired_bootstrap(scores, rng=np.random.default_rng(5), resamples=500).differences[0]
    theirs = scipy_stats.bootstrap(
        (scores[0] * 5,), np.mean, n_resamples=500, rng=Replayed(draws_of(7, 500, 5)), vectorized=True
    )
    assert [5 * (end + 0.2) for end in ends(ours)] == pytest.approx(
        tuple(theirs.confidence_interval), abs=1e-9
    )


def test_a_resample_without_a_common_item_is_told():
    scores = np.array([[0.1, 0.2, np.nan, np.nan, np.nan], [0.4, 0.3, 0.2, 0.1, 0.9]])
    found = paired_bootstrap(scores, rng=np.random.default_rng(0), resamples=100)
    # Two of five items are common; none of five draws is, with chance (3/5)^5 = 8 %.
    assert found.differences[0].reason.startswith("undefined in ")
    assert (found.means[0].interval, found.percentiles[0]) == (None, None)
    assert found.means[1].interval is not None


def test_one_model_has_a_mean_and_no_pair():
    found = paired_bootstrap(table(13, models=1), rng=np.random.default_rng(0), resamples=100)
    assert (len(found.means), found.differences) == (1, ())


@pytest.mark.parametrize(
    ("settings", "message"), [({"resamples": 1}, "resamples is 1"), ({"level": 1.0}, "level is 1.0")]
)
def test_a_setting_out_of_range_is_named(settings, message):
    with pytest.raises(ValueError, match=message):
        paired_bootstrap(table(14), rng=np.random.default_rng(0), **settings)
