import math

import numpy as np
import pytest

from tellapart.core.comparison.history import drops


def answers(rng, chances, runs):
    return (rng.random((runs, len(chances))) < chances).astype(float)


def test_the_first_level_that_lost_items_reach_is_the_one_derived_by_hand():
    # Two runs, of which the second loses k items for good: 2^-k by Chernoff, as exp(-t) goes to 0, against
    # .05 / 2 / 2 for the first test of the shortest window.
    for lost, is_found in ((6, False), (7, True)):
        scores = np.ones((2, 100))
        scores[1, :lost] = 0
        assert (0.5**lost <= 0.05 / 2 / 2) == is_found
        found = drops(scores)
        assert [(drop.run, drop.found) for drop in found] == ([(1, 1)] if is_found else [])
    assert found[0].change.value == pytest.approx(-0.07)
    assert found[0].change.low < -0.07 < found[0].change.high


def test_no_drop_is_shown_where_nothing_changes_however_rare_failures_are():
    rng = np.random.default_rng(3)
    wrong = 0
    for chances in (np.full(40, 0.98), np.full(40, 0.03), rng.beta(1.5, 0.8, 60)):
        wrong += sum(bool(drops(answers(rng, chances, 80))) for _ in range(60))
    # 180 histories at 5 %: nine are expected at most, and four errors more.
    assert wrong <= 9 + 4 * math.sqrt(9)


def test_a_small_drop_is_found_by_several_runs_together_and_a_second_one_after_it():
    rng = np.random.default_rng(5)
    chances = rng.beta(1.5, 0.8, 2_000)
    scores = np.concatenate([answers(rng, chances * share, 40) for share in (1, 0.97, 0.94)])
    found = drops(scores)
    assert [drop.run for drop in found] == pytest.approx([40, 80], abs=2)
    assert all(0 <= drop.found - drop.run < 20 for drop in found)
    assert found[0].change.value == pytest.approx(-0.03 * chances.mean(), abs=0.006)


def test_a_rise_and_scores_that_never_vary_show_nothing():
    scores = np.zeros((6, 50))
    scores[3:, :30] = 1
    assert drops(scores) == ()
    assert drops(np.ones((6, 50))) == ()
    assert drops(np.full((6, 50), np.nan)) == ()


def test_items_of_one_source_are_one_observation():
    scores = np.ones((3, 60))
    scores[2, :30] = 0
    assert drops(scores)
    assert drops(scores, np.repeat([0, 1], 30)) == ()
