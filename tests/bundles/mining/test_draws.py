from math import sqrt

import numpy as np

from tellapart.bundles.mining.candidates import draw_lineups
from tellapart.bundles.mining.settings import Settings

NAMES = [(f"a{i}", f"p{i}") for i in range(300)]


def test_without_replacement_inside_a_lineup_and_from_the_pool_only():
    sizes = np.arange(300) % 31 + 5
    drawn = draw_lineups(NAMES, sizes, Settings())
    assert drawn.shape == (300, 10, 5)
    assert (drawn < sizes[:, None, None]).all()
    assert (np.diff(np.sort(drawn, axis=2), axis=2) > 0).all()


def test_every_place_is_drawn_equally_often_and_lineups_are_independent():
    drawn = draw_lineups(NAMES, np.full(300, 35), Settings())
    counts = np.bincount(drawn.ravel(), minlength=35)
    # 3,000 lineups each hold a place with probability 1/7.
    deviation = sqrt(3000 * (1 / 7) * (6 / 7))
    assert np.abs(counts - 3000 / 7).max() < 4.5 * deviation
    # Two lineups of a candidate share 5 * 5 / 35 places on average.
    shared = [len(set(first) & set(second)) for first, second in drawn[:, :2]]
    assert abs(np.mean(shared) - 25 / 35) < 0.2
