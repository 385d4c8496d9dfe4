"""Levels that look at the whole pool, and the original method as a level."""

import numpy as np
import pytest

from contrastive.fakes import ScriptedSelector, make_unit, make_units
from tellapart.contrastive.selection.candidates import Candidates
from tellapart.contrastive.selection.distractors import choose_distractors, rungs_of
from tellapart.contrastive.selection.levels import levels_named


@pytest.mark.parametrize(
    ("ranks", "count", "rungs"),
    [
        (16, 5, [1, 2, 4, 8, 16]),
        (1000, 4, [1, 10, 100, 1000]),
        # 1, 1.6, 2.5, 4, 6.3, 10: 1.6 and 2.5 round up.
        (10, 6, [1, 2, 3, 4, 6, 10]),
        # 1, 1.19, 1.41, 1.68, 2, …: what rounds to the same moves on.
        (16, 17, [*range(1, 17)]),
        (6, 5, [1, 2, 3, 4, 6]),
        (3, 5, [1, 2, 3]),
    ],
)
def test_rungs_by_hand(ranks, count, rungs):
    assert rungs_of(ranks, count).tolist() == rungs


def fan(n):
    angles = np.array([0, *np.linspace(0.3, 1.5, n - 1)])
    return np.column_stack([np.cos(angles), np.sin(angles)])


def test_a_ladder_climbs_through_the_free_units_of_the_targets_type():
    # Unit 1 has the target's summary and the last is a class: neither is a rung.
    units = [*make_units(*map(str, range(1002))), make_unit("class", 20_000, kind="class")]
    candidates = Candidates(units, {0: "Same.", 1: "Same."}, ScriptedSelector(fan(1003)))
    ((ladder, pool), short) = choose_distractors(candidates, [0], levels_named(["ladder:4", "pool"]), seed=1)
    assert short == []
    assert ladder.distractors == (2, 11, 101, 1001)
    assert ladder.strategies == ("ladder",) * 4
    assert ladder.similarities == tuple(
        np.round(candidates.selector.vectors[list(ladder.distractors)] @ candidates.selector.vectors[0], 9)
    )
    assert pool.distractors == tuple(range(2, 1002))


def test_a_pool_that_is_too_small_is_counted():
    candidates = Candidates(make_units(*"abcde"), {}, ScriptedSelector(fan(5)))
    chosen, short = choose_distractors(candidates, [0], levels_named(["pool"]), seed=1)
    assert chosen == []
    assert [(lacking.level, lacking.wanted, lacking.available) for lacking in short] == [("pool", 19, 4)]


def test_a_pool_alone_is_nothing_to_ask_a_language_model(tellapart, package, tmp_path):
    out = tmp_path / "b"
    built = tellapart("contrastive", "build", package, "--levels", "pool", "--targets", "3", "--out", out)
    assert built.code == 0, built.err
    refused = tellapart("contrastive", "run", out, "--llm", "offline/overlap", "--out", tmp_path / "r")
    assert (refused.code, (tmp_path / "r").exists()) == (2, False)
    assert "--levels ladder,pool" in refused.err
