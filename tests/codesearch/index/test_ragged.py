import random

import numpy as np

from tellapart.codesearch.index.links import Ragged

ROWS = [[3, 1], [], [1, 1, 0], [3]]


def lists(ragged):
    return [ragged.row(at).tolist() for at in range(len(ragged.edges) - 1)]


def test_rows_come_back_as_they_were():
    ragged = Ragged.of(ROWS)
    assert lists(ragged) == ROWS
    assert lists(Ragged.kept(ragged.arrays("x") | Ragged.of([[9]]).arrays("y"), "x")) == ROWS
    assert ragged.lengths.tolist() == [2, 0, 3, 1]
    assert lists(Ragged.of([])) == []


def test_several_rows_one_after_the_other():
    values, lengths = Ragged.of(ROWS).gathered(np.array([3, 1, 0, 3]))
    assert (values.tolist(), lengths.tolist()) == ([3, 3, 1, 3], [1, 0, 2, 1])
    values, lengths = Ragged.of(ROWS).gathered(np.array([], dtype=np.int32))
    assert (values.tolist(), lengths.tolist()) == ([], [])


def test_turned_it_says_which_rows_hold_a_number():
    assert lists(Ragged.of(ROWS).turned(5)) == [[2], [0, 2, 2], [], [0, 3], []]
    assert lists(Ragged.of([]).turned(2)) == [[], []]


def test_turned_twice_it_is_the_same():
    rng = random.Random(4)
    rows = [sorted(rng.sample(range(30), rng.randrange(8))) for _ in range(40)]
    assert lists(Ragged.of(rows).turned(30).turned(40)) == rows
