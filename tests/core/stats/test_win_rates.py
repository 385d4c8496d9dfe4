from itertools import combinations

import evalica
import numpy as np
import pytest

from tellapart.core.stats import win_rates


def games(scores):
    """Every common item of every pair as a game, for evalica."""
    xs, ys, winners = [], [], []
    for a, b in combinations(range(len(scores)), 2):
        for first, second in zip(scores[a], scores[b], strict=True):
            if not np.isnan(first - second):
                xs.append(a)
                ys.append(b)
                draw = evalica.Winner.Draw if first == second else evalica.Winner.Y
                winners.append(evalica.Winner.X if first > second else draw)
    return xs, ys, winners


def table(seed, missing):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (5, 40)) / 3
    scores[rng.random((5, 40)) < missing] = np.nan
    return scores


def test_wins_and_ties_by_hand():
    # A against B: ahead, tied, behind, ahead: 2.5 of 4. A against C: two common items, one tie: 1.5 of 2.
    scores = [[1.0, 0.5, 0.0, 0.9], [0.0, 0.5, 1.0, 0.8], [0.5, 0.5, np.nan, np.nan]]
    rates = win_rates(scores)
    assert rates[0, 1:].tolist() == [2.5 / 4, 1.5 / 2]
    assert rates[1, [0, 2]].tolist() == [1.5 / 4, 0.5 / 2]
    assert np.isnan(np.diag(rates)).all()


@pytest.mark.parametrize("solver", ["pyo3", "naive"])
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_evalicas_average_win_rate_leaves_a_model_itself_out_too(missing, solver):
    scores = table(1, missing)
    xs, ys, winners = games(scores)
    theirs = evalica.average_win_rate(xs, ys, winners, solver=solver).scores.sort_index()
    assert np.nanmean(win_rates(scores), axis=1) == pytest.approx(theirs.to_numpy(), abs=1e-9)


def test_evalicas_games_give_the_same_rate_for_each_pair():
    scores = table(2, 0.4)
    xs, ys, winners = games(scores)
    xs_indexed, ys_indexed, index = evalica.indexing(xs, ys)
    order = np.argsort(index.to_numpy())
    counted = evalica.matrices(xs_indexed, ys_indexed, winners, index)
    points = (counted.win_matrix + counted.tie_matrix / 2)[np.ix_(order, order)]
    with np.errstate(invalid="ignore"):
        theirs = points / (points + points.T)
    assert win_rates(scores) == pytest.approx(theirs, abs=1e-9, nan_ok=True)


def test_models_that_never_meet_have_no_rate_as_in_evalica():
    scores = np.array([[1.0, 1.0, np.nan], [0.0, 1.0, 0.0], [np.nan, np.nan, 1.0]])
    rates = win_rates(scores)
    assert np.isnan(rates[0, 2])
    xs, ys, winners = games(scores)
    theirs = evalica.average_win_rate(xs, ys, winners).scores.sort_index()
    assert np.nanmean(rates, axis=1) == pytest.approx(theirs.to_numpy(), abs=1e-9)


def test_nothing_to_compare_has_no_rate():
    assert win_rates(np.empty((0, 4))).shape == (0, 0)
    assert np.isnan(win_rates(np.empty((2, 0)))).all()
