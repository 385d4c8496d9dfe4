import numpy as np
import polars as pl
import pytest

from tellapart.core.comparison import compare
from tellapart.core.scores import ScoreTable
from tellapart.leaderboard import page
from tellapart.leaderboard.analysis import audit_leaderboard
from tellapart.leaderboard.reading import read_leaderboard


def board_of(scores):
    """Models a, b, … in rows, tasks t00, t01, … in columns."""
    return read_leaderboard(
        {"abcdefgh"[i]: {f"t{t:02}": x for t, x in enumerate(row)} for i, row in enumerate(scores)}
    )


def test_ranks_intervals_and_groups_follow_from_the_separated_pairs():
    # On each of 12 tasks a and b stand above c, c above d; a and b each win six tasks by as much.
    task = np.linspace(0.1, 0.3, 12)
    swing = np.where(np.arange(12) % 2, 0.01, -0.01)
    audit = audit_leaderboard(board_of([0.6 + task + swing, 0.6 + task - swing, 0.4 + task, 0.1 + task]))
    # Twelve tasks in one direction: p = 2 / 4096, six pairs, so .0029 for the first that Holm tests.
    assert [(m.model, m.rank, m.rank_interval, m.tie_group, m.better_than) for m in audit.models] == [
        ("a", 1, (1, 2), 1, ("c", "d")),
        ("b", 1, (1, 2), 1, ("c", "d")),
        ("c", 3, (3, 3), 2, ("d",)),
        ("d", 4, (4, 4), 3, ()),
    ]
    assert [m.mean for m in audit.models] == pytest.approx([0.8, 0.8, 0.6, 0.3])
    assert [(n.upper, n.lower, n.separated) for n in audit.neighbours] == [
        ("a", "b", False),
        ("b", "c", True),
        ("c", "d", True),
    ]
    assert [(n.tasks_won, n.tasks_lost) for n in audit.neighbours] == [(6, 6), (12, 0), (12, 0)]
    assert [n.p_adjusted for n in audit.neighbours] == pytest.approx([1.0, 6 * 2 / 4096, 6 * 2 / 4096])
    assert page.lines(audit) == [
        "a or b may be the best: none is shown to be worse than another.",
        "12 tasks separate 2 of 3 pairs of neighbours.",
        "Separated: b above c; c above d.",
        "All in all 5 of 6 pairs are separated, and the models fall into 3 tie groups.",
    ]


def test_a_group_ends_before_the_first_model_that_one_of_it_beats():
    # b differs from c by little on every task; a is ahead of both on the mean, and far behind on two tasks.
    b = np.full(12, 0.5)
    a = np.where(np.arange(12) < 3, 0.1, 0.75)
    audit = audit_leaderboard(board_of([a, b, b - 0.01]))
    assert [(m.model, m.tie_group, m.rank_interval) for m in audit.models] == [
        ("a", 1, (1, 3)),
        ("b", 1, (1, 2)),
        ("c", 2, (2, 3)),
    ]
    assert page.lines(audit)[1:3] == [
        "12 tasks separate 1 of 2 pairs of neighbours.",
        "Separated: b above c.",
    ]


def test_verdicts_are_those_of_the_comparison():
    rng = np.random.default_rng(7)
    scores = 0.5 + rng.normal(0, 0.05, (8, 1)) + rng.normal(0, 0.04, (8, 20))
    board = board_of(scores.round(4))
    rows = [
        {"model": model, "item": task, "score": board.scores[i, t]}
        for i, model in enumerate(board.models)
        for t, task in enumerate(board.tasks)
    ]
    pairs = compare(ScoreTable.from_frame(pl.DataFrame(rows), limits=(-np.inf, np.inf))).primary.separated
    expected = {(pair.ahead, pair.behind) for pair in pairs}
    assert 5 < len(expected) < 28
    found = {(m.model, other) for m in audit_leaderboard(board).models for other in m.better_than}
    assert found == expected
