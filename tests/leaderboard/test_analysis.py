import numpy as np
import polars as pl
import pytest

from tellapart.core.comparison import compare
from tellapart.leaderboard import page
from tellapart.leaderboard.analysis import audit_leaderboard, item_values, smallest_tasks
from tellapart.leaderboard.reading import Leaderboard


def board_of(scores, items=None):
    """Models a, b, … in rows, tasks t0, t1, … in columns."""
    scores = np.array(scores)
    tasks = tuple(f"t{t:02}" for t in range(scores.shape[1]))
    parts = {task: ("default/test",) for task in tasks}
    return Leaderboard(tuple("abcde"[: len(scores)]), tasks, scores, parts, items or {}, ())


def drawn(rng, parts, means):
    """Items of one task, with parts of the given sizes, and their mean over parts by model."""
    frames = [
        pl.DataFrame(
            {
                "item": [f"{part}/{i}" for i in range(n)],
                "part": part,
                "score": rng.normal(mean, 1, n),
                "model": model,
            }
        )
        for model, mean in means.items()
        for part, n in parts.items()
    ]
    frame = pl.concat(frames)
    by_part = frame.group_by("model", "part").agg(pl.col("score").mean())
    return frame, dict(by_part.group_by("model").agg(pl.col("score").mean()).iter_rows())


def test_the_smallest_set_is_the_first_that_keeps_the_order():
    # Means .633, .567, .267. On t00 alone a > b > c; on t01 b > c > a; on t02 a > c > b.
    found = smallest_tasks(board_of([[0.9, 0.1, 0.9], [0.5, 0.8, 0.4], [0.1, 0.2, 0.5]]), seed=1)
    assert (found.tasks, found.keep, found.sets, found.method) == (["t00"], 1, 3, "exhaustive")
    assert found.stability is None and found.reason == "not every task has predictions of every model"
    # t00 alone gives a > c > b, t01 alone b > a > c; both together a > b > c.
    found = smallest_tasks(board_of([[0.9, 0.5], [0.5, 0.6], [0.6, 0.1]]), seed=1)
    assert (found.tasks, found.keep, found.sets) == (["t00", "t01"], 1, 1)
    assert smallest_tasks(board_of([[0.1, 0.2], [0.2, 0.1]]), seed=1) is None


def test_with_many_tasks_they_are_left_out_one_by_one():
    # Every task has the order, and t00 the most room: it is what stays.
    gaps = np.linspace(0.3, 0.1, 18)
    found = smallest_tasks(board_of([0.5 + gaps, np.full(18, 0.5)]), seed=1)
    assert (found.tasks, found.method, found.keep, found.sets) == (["t00"], "greedy", None, 18)


def test_items_keep_the_mean_over_tasks_and_the_variance_within_them():
    rng = np.random.default_rng(2)
    first, of_first = drawn(rng, {"x/test": 30, "y/test": 10}, {"a": 0.0, "b": 0.5})
    second, of_second = drawn(rng, {"default/test": 20}, {"a": 3.0, "b": 2.0})
    scores = [[of_first[model], of_second[model]] for model in "ab"]
    board = board_of(scores, {"t00": first, "t01": second})
    values = item_values(board)
    assert values.frame.height == 2 * 60
    means = dict(values.frame.group_by("model").agg(pl.col("score").mean()).iter_rows())
    assert means == pytest.approx({"a": np.mean(scores[0]), "b": np.mean(scores[1])}, abs=1e-12)
    # A mean of two tasks, the first a mean of two parts: their variances times 1/16, 1/16 and 1/4.
    variance = 0.0
    for frame, part, weight in (
        (first, "x/test", 1 / 16),
        (first, "y/test", 1 / 16),
        (second, "default/test", 1 / 4),
    ):
        of_part = [frame.filter(part=part, model=model).sort("item")["score"].to_numpy() for model in "ab"]
        variance += weight * np.var(of_part[0] - of_part[1]) / len(of_part[0])
    (pair,) = compare(values).primary.pairs
    assert pair.difference == pytest.approx(np.mean(scores[0]) - np.mean(scores[1]), abs=1e-12)
    # Ours divides by n - 1 of all 60 items.
    assert pair.sd**2 / 60 == pytest.approx(variance * 60 / 59, rel=1e-9)


def test_tasks_are_too_few_where_items_are_enough():
    rng = np.random.default_rng(3)
    drawn_tasks = {f"t0{t}": drawn(rng, {"default/test": 300}, {"a": 0.6, "b": 0.0}) for t in range(4)}
    scores = [[means[model] for _, means in drawn_tasks.values()] for model in "ab"]
    record = audit_leaderboard(
        board_of(scores, {name: frame for name, (frame, _) in drawn_tasks.items()}), seed=1
    )
    (pair,) = record.neighbours
    assert (pair.upper, pair.tasks_won, pair.tasks_lost) == ("a", 4, 0)
    # Four tasks in one direction: two of sixteen signs.
    assert pair.over_tasks == "not_separated" and pair.p_over_tasks == pair.least_p_over_tasks == 0.125
    assert pair.over_items == "separated" and pair.p_over_items < 1e-6
    assert record.smallest.stability_of_all == record.smallest.stability == 1.0
    first, second, *_ = page.lines(record)
    assert first == (
        "Other tasks like these would separate 0 of 1 pair of neighbours; other items of these tasks would "
        "separate 1."
    )
    assert second == (
        "4 tasks cannot separate any two of 2 models over tasks: no result has an adjusted p below 0.125."
    )
    assert page.document(record).title == first.removesuffix(".")
