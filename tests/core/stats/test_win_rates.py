import numpy as np

from tellapart.core.stats.all_pairs import win_rates


def test_wins_and_ties_by_hand():
    # A against B: ahead, tied, behind, ahead: 2.5 of 4. A against C: two common items, one tie: 1.5 of 2.
    scores = [[1.0, 0.5, 0.0, 0.9], [0.0, 0.5, 1.0, 0.8], [0.5, 0.5, np.nan, np.nan]]
    rates = win_rates(scores)
    assert rates[0, 1:].tolist() == [2.5 / 4, 1.5 / 2]
    assert rates[1, [0, 2]].tolist() == [1.5 / 4, 0.5 / 2]
    assert np.isnan(np.diag(rates)).all()
