import numpy as np
import pytest
from scipy import stats as scipy_stats

from reference import stats as reference
from spreads import Pickling
from tellapart.core.stats import bca, bootstrap_means, resampled_means
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
    ours = bootstrap_means(scores, rng=np.random.default_rng(seed), resamples=2000, level=level)
    draws = draws_of(60, 2000, seed)

    def scipys(data, statistic, method):
        return scipy_stats.bootstrap(
            data, statistic, paired=True, n_resamples=2000, confidence_level=level, method=method,
            vectorized=True, rng=Replayed(draws),
        )  # fmt: skip

    for a in range(3):
        theirs = scipys((scores[a],), np.mean, "BCa")
        assert ends(ours.means[a]) == pytest.approx(tuple(theirs.confidence_interval), abs=1e-9)
        plain = scipys((scores[a],), np.mean, "percentile").confidence_interval
        assert (ours.percentiles[a].low, ours.percentiles[a].high) == pytest.approx(tuple(plain), abs=1e-9)


def test_whole_clusters_are_drawn_and_means_are_over_what_there_is():
    rng = np.random.default_rng(5)
    scores, labels = table(5), np.arange(60) % 8
    for model, lost in ((0, 9), (1, 15)):
        scores[model, rng.choice(60, lost, replace=False)] = np.nan
    ours = bootstrap_means(scores, clusters=labels, rng=np.random.default_rng(7), resamples=500, level=0.9)
    draws = draws_of(8, 500, 7).tolist()
    for a in range(3):
        known = ~np.isnan(scores[a])
        slow = reference.bca_of_mean(scores[a][known].tolist(), labels[known].tolist(), draws, 0.9)
        assert ends(ours.means[a]) == pytest.approx(slow, abs=1e-9)
        assert ours.means[a].n == 8


def test_other_draws_give_the_same_interval_within_their_noise():
    # An end of an interval from 10,000 resamples is off by sqrt(p (1 - p) / 10,000) over the density:
    # 0.027 standard errors at p = .025. Both intervals are, so 4 x sqrt(2) x 0.027 = 0.15 is far out.
    scores = table(6, models=2, items=5000)
    ours = bootstrap_means(scores, rng=np.random.default_rng(0)).means[0]
    theirs = bca(scores[0], rng=np.random.default_rng(1))
    assert np.subtract(ends(ours), ends(theirs)) == pytest.approx([0, 0], abs=0.15 * theirs.standard_error)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.04)


def test_of_few_kinds_of_many_items_how_many_are_drawn_is_as_good_as_which(monkeypatch):
    scores = (np.random.default_rng(3).random((3, 6000)) < [[0.8], [0.75], [0.3]]).astype(float)
    usual = bootstrap_means(scores, rng=np.random.default_rng(0))
    monkeypatch.setattr(resampled_means, "_MANY", 6000)
    by_kind = bootstrap_means(scores, rng=np.random.default_rng(0))
    for ours, theirs in zip(by_kind.means, usual.means, strict=True):
        assert ours.value == theirs.value
        assert ours != theirs
        assert np.subtract(ends(ours), ends(theirs)) == pytest.approx(
            [0, 0], abs=0.15 * theirs.standard_error
        )
        assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.04)
    # The draws stay the same if the models change places.
    turned = bootstrap_means(scores[::-1], rng=np.random.default_rng(0))
    assert turned.means == by_kind.means[::-1]
    monkeypatch.setattr(resampled_means, "_ROWS", 77)
    assert bootstrap_means(scores, rng=np.random.default_rng(0)) == by_kind


def test_the_order_of_models_and_items_does_not_matter():
    scores, labels = table(8), np.random.default_rng(8).permutation(60)
    scores[1, :7] = np.nan
    straight = bootstrap_means(scores, clusters=labels, rng=np.random.default_rng(0), resamples=300)
    order = np.random.default_rng(9).permutation(60)
    shuffled = bootstrap_means(
        scores[::-1, order], clusters=labels[order], rng=np.random.default_rng(0), resamples=300
    )
    assert shuffled.means == straight.means[::-1]
    assert shuffled.percentiles == straight.percentiles[::-1]


def test_a_shift_and_a_unit_move_the_figures_alone():
    scores = table(10)
    plain = bootstrap_means(scores, rng=np.random.default_rng(0), resamples=300)
    moved = bootstrap_means(1e9 + 1e3 * scores, rng=np.random.default_rng(0), resamples=300)
    assert ends(moved.means[0]) == pytest.approx([1e9 + 1e3 * end for end in ends(plain.means[0])], rel=1e-12)


def test_the_generator_is_left_as_it_was():
    rng = np.random.default_rng(0)
    first = bootstrap_means(table(12), rng=rng, resamples=100)
    assert bootstrap_means(table(12), rng=rng, resamples=100) == first
    assert rng.random() == np.random.default_rng(0).random()


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


def test_tied_resamples_count_half_as_in_scipy():
    # Scores in fifths are no whole numbers of any power of two; sums of different items are still ties.
    scores = np.array([[0.2, 0.4, 0.6, 0.8, 0.4, 0.2, 1.0]])
    ours = bootstrap_means(scores, rng=np.random.default_rng(5), resamples=500).means[0]
    theirs = scipy_stats.bootstrap(
        (scores[0] * 5,), np.mean, n_resamples=500, rng=Replayed(draws_of(7, 500, 5)), vectorized=True
    )
    assert [5 * end for end in ends(ours)] == pytest.approx(tuple(theirs.confidence_interval), abs=1e-9)


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


def test_whoever_draws_the_resamples_the_figures_are_the_same_to_the_bit(monkeypatch):
    monkeypatch.setattr(resampled_means, "_ROWS", 130)
    scores = table(4, items=5000)
    scores[0, ::7] = np.nan
    clusters = np.arange(5000) // 3
    spread = Pickling()
    here, elsewhere = (
        bootstrap_means(scores, rng=np.random.default_rng(2), clusters=clusters, resamples=500, spread=where)
        for where in (None, spread)
    )
    assert here == elsewhere
    assert [(rows.start, rows.stop) for rows in spread.tasks] == [
        (390, 500),
        (260, 390),
        (130, 260),
        (0, 130),
    ]
