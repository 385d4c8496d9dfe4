from math import log

import evalica
import numpy as np
import pytest

from tellapart.writers.bradley_terry import bradley_terry, bradley_terry_estimates


def test_two_players_by_hand():
    # 3 of 4 points: the odds are 3, so the strengths are half of log 3 either side of 0.
    assert bradley_terry([[0, 3], [1, 0]]) == pytest.approx([log(3) / 2, -log(3) / 2])
    assert bradley_terry([[0, 2.5], [2.5, 0]]).tolist() == [0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_evalica_finds_the_same(seed):
    rng = np.random.default_rng(seed)
    players = 2 + seed
    xs, ys = rng.integers(0, players, (2, 400))
    xs, ys = xs[xs != ys], ys[xs != ys]
    outcome = rng.choice(3, len(xs), p=[0.5, 0.2, 0.3])
    winners = [(evalica.Winner.X, evalica.Winner.Draw, evalica.Winner.Y)[k] for k in outcome]
    points = np.zeros((players, players))
    np.add.at(points, (xs, ys), 1 - outcome / 2)
    np.add.at(points, (ys, xs), outcome / 2)
    theirs = evalica.bradley_terry(xs.tolist(), ys.tolist(), winners, tolerance=1e-12, limit=100_000)
    logs = np.log(theirs.scores.sort_index().to_numpy())
    assert bradley_terry(points) == pytest.approx(logs - logs.mean(), abs=1e-9)


def test_no_finite_strengths_where_somebody_never_gets_a_point_from_the_others():
    # The first two never lose a point to the third; and two tables are two answers.
    apart = [[0, 1, 2], [1, 0, 2], [0, 0, 0]]
    linked = [[0, 1, 2], [1, 0, 2], [0, 0.5, 0]]
    both = bradley_terry([apart, linked])
    assert np.isnan(both[0]).all() and np.isfinite(both[1]).all()
    # A chain of points is enough: each lost only to the next.
    assert np.isfinite(bradley_terry([[0, 0, 1], [1, 0, 0], [0, 1, 0]])).all()


def test_intervals_resample_whole_clusters():
    rng = np.random.default_rng(1)
    games = np.zeros((200, 2, 2))
    won = rng.random(200) < 0.7
    games[won, 0, 1] = games[~won, 1, 0] = 1
    alone = bradley_terry_estimates(games, rng=np.random.default_rng(0))
    # The same games five times each, in clusters of five, say no more than once.
    fivefold = np.repeat(games, 5, axis=0)
    clusters = np.repeat(np.arange(200), 5)
    together = bradley_terry_estimates(fivefold, clusters, rng=np.random.default_rng(0))
    assert alone[0].value == pytest.approx(log(won.sum() / (~won).sum()) / 2)
    assert together[0].interval == pytest.approx(alone[0].interval)
    assert alone[0].low < log(7 / 3) / 2 < alone[0].high


def won(times, lost, players=2, winner=0, loser=1):
    games = np.zeros((times + lost, players, players))
    games[:times, winner, loser] = games[times:, loser, winner] = 1
    return games


def estimates(games):
    return bradley_terry_estimates(games, rng=np.random.default_rng(0), resamples=4000)


def test_resamples_without_finite_strengths_lie_beyond_an_end_of_the_interval():
    # With n games lost at 1 in 10, a resample loses Bin(n, .1) of them: none in 12.2 % of 20, 1.5 % of 40.
    # The quantiles at 97.5 % are 5 and 8, that of 40 at 2.5 % is 1.
    first, second = estimates(won(18, 2))
    assert (first.low, first.high) == (pytest.approx(log(15 / 5) / 2), None)
    assert (second.low, second.high) == (None, pytest.approx(-first.low))
    assert first.value == -second.value == pytest.approx(log(9) / 2)
    assert first.reason.startswith("undefined in")
    first, second = estimates(won(36, 4))
    assert (first.low, first.high) == (pytest.approx(log(32 / 8) / 2), pytest.approx(log(39) / 2))
    assert (first.reason, second.reason) == (None, None)
