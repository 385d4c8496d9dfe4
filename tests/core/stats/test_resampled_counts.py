import numpy as np
import pytest
from scipy import stats as scipy_stats

from tellapart.core.stats.resampled_counts import count_draws


def counted(groups, resamples, rng):
    """All counts as one table; every cell must be handed over exactly once."""
    table = np.full((resamples, groups), np.nan)

    def over(tile):
        def add(rows, counts):
            assert np.isnan(table[rows, tile]).all()
            table[rows, tile] = counts

        return add

    count_draws(groups, resamples, rng, over)
    return table


class Fixed:
    """Stands in for a generator: every tile gets ``total`` draws, every seed is ``seed``."""

    def __init__(self, total, seed):
        self.total, self.seed = total, seed

    def binomial(self, left, p):
        return np.full(left.shape, self.total)

    def integers(self, low, high, shape, dtype):
        return np.full(shape, self.seed, dtype=dtype)


@pytest.mark.parametrize(("groups", "resamples"), [(1, 3), (2, 2), (3, 200), (4095, 130), (266_000, 3)])
def test_a_resample_has_as_many_draws_as_there_are_groups(groups, resamples):
    # 266,000 groups are 64 tiles of 4,096, handed out in one go, and five smaller ones after them.
    table = counted(groups, resamples, np.random.default_rng(0))
    assert (table.sum(axis=1) == groups).all()
    assert (table >= 0).all()


def test_draws_are_the_bits_of_splitmix64():
    # The first words of SplitMix64 from state 1234567, as its author's reference code prints them.
    words = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    expected = np.zeros(4096)
    for shift in (0, 12, 24, 36, 48):
        expected[(words[0] >> shift) % 4096] += 1
    expected[words[1] % 4096] += 1
    expected[words[2] % 4096] += 1
    table = counted(4096, 1, Fixed(total=7, seed=1234567))
    assert (table[0] == expected).all()


def test_smaller_tiles_take_one_word_a_draw():
    # Modulo four, the words 6457827717110365317, 3203168211198807973, 9817491932198370423 and
    # 4593380528125082431 leave 1, 1, 3 and 3.
    table = counted(4, 1, Fixed(total=4, seed=1234567))
    assert table.tolist() == [[0, 2, 0, 2]]


def test_counts_of_few_groups_are_multinomial():
    # Three tiles, of 4, 2 and 1. Every outcome of the seventh group and of the first has its binomial chance.
    table = counted(7, 40_000, np.random.default_rng(1))
    for group in range(7):
        seen = np.bincount(table[:, group].astype(int), minlength=8)
        expected = 40_000 * scipy_stats.binom.pmf(np.arange(8), 7, 1 / 7)
        seen, expected = np.append(seen[:4], seen[4:].sum()), np.append(expected[:4], expected[4:].sum())
        assert scipy_stats.chisquare(seen, expected).pvalue > 1e-3
    # Within a tile or between two, counts have covariance -1/7 and variance 6/7.
    assert np.cov(table.T) == pytest.approx(np.eye(7) - 1 / 7, abs=0.02)


def test_counts_of_many_groups_are_even():
    # Each of 5,000 groups is drawn 400 times on average; the sum of squares is chi-square with 4,999 degrees.
    table = counted(5000, 400, np.random.default_rng(2))
    drawn = np.square(table.sum(axis=0) - 400).sum() / 400
    assert abs(drawn - 4999) < 4 * (2 * 4999) ** 0.5
    # The same within one resample, whose draws share a state.
    rows = np.square(table - 1).sum(axis=1)
    assert rows.mean() == pytest.approx(4999, abs=4 * (2 * 4999 / 400) ** 0.5)


@pytest.mark.parametrize("cores", [1, 3, 64])
def test_the_number_of_cores_changes_nothing(cores, monkeypatch):
    usual = counted(4500, 400, np.random.default_rng(3))
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(cores)), raising=False)
    assert (counted(4500, 400, np.random.default_rng(3)) == usual).all()


def test_a_failure_while_adding_is_raised():
    def over(tile):
        raise RuntimeError("no room")

    with pytest.raises(RuntimeError, match="no room"):
        count_draws(10, 10, np.random.default_rng(0), over)
