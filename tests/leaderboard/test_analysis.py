import numpy as np
import pytest

from tellapart.leaderboard import page
from tellapart.leaderboard.analysis import audit_leaderboard, smallest_tasks
from tellapart.leaderboard.reading import Leaderboard


def board_of(scores):
    """Models a, b, … in rows, tasks t0, t1, … in columns."""
    scores = np.array(scores)
    tasks = tuple(f"t{t:02}" for t in range(scores.shape[1]))
    parts = {task: ("default/test",) for task in tasks}
    return Leaderboard(tuple("abcde"[: len(scores)]), tasks, scores, parts, ())


def test_the_smallest_set_is_the_first_that_keeps_the_order():
    # Means .633, .567, .267. On t00 alone a > b > c; on t01 b > c > a; on t02 a > c > b.
    smallest = smallest_tasks(board_of([[0.9, 0.1, 0.9], [0.5, 0.8, 0.4], [0.1, 0.2, 0.5]]))
    assert (smallest.tasks, smallest.keep, smallest.sets, smallest.method) == (["t00"], 1, 3, "exhaustive")
    # t00 alone gives a > c > b, t01 alone b > a > c; both together a > b > c.
    smallest = smallest_tasks(board_of([[0.9, 0.5], [0.5, 0.6], [0.6, 0.1]]))
    assert (smallest.tasks, smallest.keep, smallest.sets) == (["t00", "t01"], 1, 1)
    assert smallest_tasks(board_of([[0.1, 0.2], [0.2, 0.1]])) is None


def test_with_many_tasks_they_are_left_out_one_by_one():
    # Every task has the order, and t00 the most room: it is what stays.
    gaps = np.linspace(0.3, 0.1, 18)
    smallest = smallest_tasks(board_of([0.5 + gaps, np.full(18, 0.5)]))
    assert (smallest.tasks, smallest.method, smallest.keep, smallest.sets) == (["t00"], "greedy", None, 18)


def test_few_tasks_cannot_separate_two_models():
    record = audit_leaderboard(board_of([[0.6, 0.7, 0.8, 0.9], [0.1, 0.3, 0.2, 0.5]]))
    (pair,) = record.neighbours
    assert (pair.upper, pair.tasks_won, pair.tasks_lost) == ("a", 4, 0)
    assert pair.difference == pytest.approx(0.475)
    # Four tasks in one direction: two of sixteen signs.
    assert pair.over_tasks == "not_separated" and pair.p_over_tasks == pair.least_p_over_tasks == 0.125
    first, second, *_ = page.lines(record)
    assert first == "Other tasks like these would separate 0 of 1 pair of neighbours."
    assert second == (
        "4 tasks cannot separate any two of 2 models over tasks: no result has an adjusted p below 0.125."
    )
    assert page.document(record).title == first.removesuffix(".")
