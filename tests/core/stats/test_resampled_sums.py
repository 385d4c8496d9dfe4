from fractions import Fraction

import numpy as np
import pytest

from tellapart.core.stats.resampled_means import Sums, kinds_of, sample_of


def added(sample, counts):
    """Sums over resamples whose counts are given, one group of one resample at a time."""
    sums = Sums(sample, len(counts))
    for group in range(sample.groups):
        add = sums.over(slice(group, group + 1))
        for row in range(len(counts)):
            add(slice(row, row + 1), np.ascontiguousarray(counts[row : row + 1, group : group + 1]))
    return sums


def at_once(sample, counts):
    sums = Sums(sample, len(counts))
    sums.over(slice(0, sample.groups))(slice(0, len(counts)), counts)
    return sums


def written_out(scores, labels, weights):
    """A mean with each item as often as its cluster was drawn."""
    total, n = Fraction(0), 0
    for score, label in zip(scores, labels, strict=True):
        if not np.isnan(score):
            total += int(weights[label]) * Fraction(score)
            n += int(weights[label])
    return float(total / n) if n else np.nan


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("clustered", [False, True])
def test_means_written_out(missing, clustered):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4, 30))
    scores[rng.random((4, 30)) < missing] = np.nan
    scores[2] = rng.normal(size=30)  # Complete beside models that are not.
    labels = rng.permutation(np.arange(30) % 7) if clustered else np.arange(30)
    groups = 7 if clustered else 30
    counts = rng.multinomial(groups, np.full(groups, 1 / groups), size=25).astype(float)
    sums = added(sample_of(scores, labels), counts)
    for a in range(4):
        expected = [written_out(scores[a], labels, weights) for weights in counts]
        assert sums.means(a) == pytest.approx(expected, abs=1e-12)


def test_sums_are_the_same_bits_in_any_order():
    rng = np.random.default_rng(1)
    scores = rng.gamma(1.0, size=(3, 2000)) * 1e3
    scores[0, :100] = np.nan
    scores[1, 50:80] = np.nan
    counts = rng.multinomial(2000, np.full(2000, 1 / 2000), size=3).astype(float)
    sample = sample_of(scores)
    one, other = added(sample, counts), at_once(sample, counts)
    for a in range(3):
        assert (one.means(a) == other.means(a)).all()


def test_every_sum_is_a_whole_number_that_floats_hold():
    # The most that a resample can add up to: the largest cluster, drawn every time.
    scores = np.random.default_rng(2).random((2, 1000))
    scores[0, 0] = 1e6
    sample = sample_of(scores, np.arange(1000) // 10)
    assert (sample.values == np.rint(sample.values)).all()
    assert np.abs(sample.values).max() * 10 * 100 <= 2**51
    assert np.abs(sample.values).max() * 10 * 100 > 2**49


def test_scores_of_halves_and_quarters_are_not_rounded():
    scores = np.array([[0.0, 1.0, 0.25, 0.5], [1.0, 0.75, 0.0, np.nan]])
    sample = sample_of(scores)
    assert sample.centre == 0.5
    exact = sample.centre + sample.step * sample.values
    assert (exact[sample.present] == scores[sample.present]).all()


@pytest.mark.parametrize("scores", [[0.5, 1.0], [[0.5, np.inf]]])
def test_scores_that_are_no_table_of_finite_numbers_are_refused(scores):
    with pytest.raises(ValueError, match="scores have shape"):
        sample_of(scores)


def test_a_table_without_items_or_scores_has_sums_of_nothing():
    assert sample_of(np.empty((2, 0))).groups == 0
    nothing = sample_of(np.full((2, 3), np.nan))
    assert (nothing.step > 0, nothing.centre) == (True, 0.0)
    assert np.isnan(at_once(nothing, np.ones((1, 3))).means(0)).all()


def test_items_on_which_all_did_the_same_are_one_kind():
    scores = np.array([[1, 0, 1, 1, 0, 0, 1], [0, 0, 0, 1, 0, 1, 0], [0.5, 0, 0.5, 0, 0, 1, 0.5]])
    sample = sample_of(scores)
    kinds, alike = kinds_of(sample, 4)
    # In the order in which they first occur, which is the same whatever the order of the models.
    assert alike.tolist() == [3, 2, 1, 1]
    assert kinds.values.tolist() == sample.values[:, [0, 1, 3, 5]].tolist()
    assert kinds_of(sample_of(scores[::-1]), 4)[1].tolist() == [3, 2, 1, 1]
    every = np.ones((1, 7))
    of_kinds, of_items = (added(s, c) for s, c in ((kinds, alike[None, :] * 1.0), (sample, every)))
    assert of_kinds.means(2) == of_items.means(2) == pytest.approx(2.5 / 7)


def test_items_are_not_put_together_where_that_would_lose_something():
    scores = np.tile([[1.0, 0.0], [0.0, 0.0]], 4)
    assert kinds_of(sample_of(scores), 2) is not None
    assert kinds_of(sample_of(scores), 1) is None
    assert kinds_of(sample_of(np.random.default_rng(0).random((2, 8))), 7) is None
    assert kinds_of(sample_of(scores, np.arange(8) // 2), 8) is None
    assert kinds_of(sample_of(np.where(np.arange(8) == 3, np.nan, scores)), 8) is None
