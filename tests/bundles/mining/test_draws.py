import numpy as np

from tellapart.bundles.mining.candidates import draw_lineups
from tellapart.bundles.mining.settings import Settings

NAMES = [(f"a{i}", f"p{i}") for i in range(300)]


def test_without_replacement_inside_a_lineup_and_from_the_pool_only():
    sizes = np.arange(300) % 31 + 5
    drawn = draw_lineups(NAMES, sizes, np.arange(35) % 2 == np.zeros((300, 1)), Settings())
    assert drawn.shape == (300, 10, 5)
    assert (drawn < sizes[:, None, None]).all()
    assert (np.diff(np.sort(drawn, axis=2), axis=2) > 0).all()


def test_the_positive_is_the_shortest_of_a_lineup_no_more_often_than_by_chance():
    # Ten events of the pool are shorter than the positive, then one alone.
    for n_shorter in (10, 1):
        shorter = np.broadcast_to(np.arange(35) < n_shorter, (300, 35))
        drawn = draw_lineups(NAMES, np.full(300, 35), shorter, Settings())
        counts = np.bincount((drawn < n_shorter).sum(axis=2).ravel(), minlength=6)
        # Of 3,000 lineups a sixth; the standard deviation is 20.
        assert abs(counts[0] - 500) < 90
        assert abs(counts[1:].sum() - 2500) < 90
        assert counts.max() == counts[1] if n_shorter == 1 else counts.max() < 590
