"""What a leaderboard separates, over tasks and over their items, and its smallest set of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import polars as pl

from tellapart.core.arrays import F64, I64
from tellapart.core.comparison import Comparison, ComparisonSettings, Verdict, comparison_record
from tellapart.core.comparison import compare as compare_models
from tellapart.core.randomness import generator
from tellapart.core.scores import ScoreTable
from tellapart.core.stats import kendall_tau_b
from tellapart.leaderboard.reading import Leaderboard
from tellapart.leaderboard.results import (
    LeaderboardRecord,
    Neighbours,
    RankedModel,
    SmallestTasks,
    TaskRecord,
)

MOST_EXHAUSTIVE = 16
"""Tasks up to which every set of them is tried: 65,536 sets."""

RESAMPLES = 5000

_UNBOUNDED = (float("-inf"), float("inf"))
_TIE = 1e-9


def audit_leaderboard(
    board: Leaderboard, settings: ComparisonSettings | None = None, *, seed: int
) -> LeaderboardRecord:
    """Audit a leaderboard.

    Two questions are kept apart. Over tasks: would other tasks, drawn as these were, give the same? The tasks
    are then the items. Over items: would other items of these very tasks? Then each task keeps its weight,
    and its items are drawn anew; see `item_values`. Both are answered by `tellapart.core.comparison`, with
    its correction over all pairs of models.
    """
    means = board.scores.mean(axis=1)
    order = sorted(range(len(board.models)), key=lambda i: (-means[i], board.models[i]))
    settings = settings or ComparisonSettings()
    over_tasks = compare_models(_task_table(board), settings)
    values = item_values(board)
    over_items = None if values is None else compare_models(values, settings)
    return LeaderboardRecord(
        models=[
            RankedModel(
                model=board.models[i],
                mean=float(means[i]),
                scores=dict(zip(board.tasks, board.scores[i].tolist(), strict=True)),
            )
            for i in order
        ],
        tasks=[
            TaskRecord(
                task=task,
                items=board.items[task]["item"].n_unique() if task in board.items else None,
                parts=len(board.parts[task]),
                tau=kendall_tau_b(board.scores[:, t][None], means[None])[0],
            )
            for t, task in enumerate(board.tasks)
        ],
        neighbours=[
            _neighbours(board, upper, lower, over_tasks, over_items)
            for upper, lower in zip(order, order[1:], strict=False)
        ],
        smallest=smallest_tasks(board, seed=seed),
        comparison_over_tasks=comparison_record(over_tasks),
        comparison_over_items=None if over_items is None else comparison_record(over_items),
        notes=list(board.notes),
    )


def item_values(board: Leaderboard) -> ScoreTable | None:
    """Write the mean over tasks as a mean over items, with the variance of drawing items within tasks.

    An item of one of the c parts of a task, a part of n items, gets the model's mean over tasks plus
    N / (T c n) times its score less the mean of its part, where N are all items and T the tasks. The mean of
    these is the mean over tasks exactly, and their variance over N that of a mean of means of parts that are
    drawn by themselves: what lies between tasks is not in it.

    Source:
        Cochran, "Sampling Techniques", 3rd edition 1977, theorem 5.3: the variance of a stratified mean.
    """
    if not board.items:
        return None
    total = sum(frame["item"].n_unique() for frame in board.items.values())
    frames = []
    for task, frame in board.items.items():
        part_mean = pl.col("score").mean().over("model", "part")
        parts = frame["part"].n_unique()
        weight = total / (len(board.items) * parts * pl.len().over("model", "part"))
        frames.append(
            frame.select(
                "model",
                (pl.lit(f"{task}/") + pl.col("item")).alias("item"),
                (weight * (pl.col("score") - part_mean)).alias("score"),
                pl.lit(task).alias("task"),
                (part_mean / (parts * pl.len().over("model", "part"))).alias("share"),
            )
        )
    whole = pl.concat(frames)
    mean = pl.col("share").sum().over("model") / len(board.items)
    scored = whole.with_columns(score=pl.col("score") + mean).drop("share", "task")
    return ScoreTable.from_frame(scored, limits=_UNBOUNDED)


def smallest_tasks(board: Leaderboard, *, seed: int) -> SmallestTasks | None:
    """Find the fewest tasks whose mean has the order of the leaderboard, ties aside.

    Up to ``MOST_EXHAUSTIVE`` tasks every set is tried, the small ones first. Beyond, tasks are left out one
    by one, each time the one without which the neighbours stand farthest apart, as long as the order stays.
    """
    means = board.scores.mean(axis=1)
    order = np.argsort(-means, kind="stable")
    if _room(board.scores[order], range(len(board.tasks))) <= _TIE:
        return None
    ranked = board.scores[order]
    n = len(board.tasks)
    chosen, keep, sets = list(range(n)), 1, 1
    if n <= MOST_EXHAUSTIVE:
        method = "exhaustive"
        for size in range(1, n + 1):
            rooms = {one: _room(ranked, one) for one in combinations(range(n), size)}
            kept = {one: room for one, room in rooms.items() if room > _TIE}
            if kept:
                chosen, keep, sets = list(max(kept.items(), key=lambda one: one[1])[0]), len(kept), len(rooms)
                break
        count: int | None = keep
    else:
        method, count = "greedy", None
        while len(chosen) > 1:
            rooms_left = [(_room(ranked, [t for t in chosen if t != left]), -left) for left in chosen]
            room, out = max(rooms_left)
            if room <= _TIE:
                break
            chosen.remove(-out)
        sets = comb(n, len(chosen))
    stable = _stability(board, order, chosen, seed) if set(board.items) == set(board.tasks) else None
    return SmallestTasks(
        tasks=[board.tasks[t] for t in chosen],
        method=method,
        keep=count,
        sets=sets,
        stability=None if stable is None else stable[0],
        stability_of_all=None if stable is None else stable[1],
        reason="" if stable is not None else "not every task has predictions of every model",
    )


def _room(ranked: F64, tasks: Sequence[int] | range) -> float:
    """The least distance between neighbours on some tasks, negative where one stands in the other's place."""
    means = ranked[:, list(tasks)].mean(axis=1)
    return float(np.min(-np.diff(means)))


def _stability(board: Leaderboard, order: I64, chosen: Sequence[int], seed: int) -> tuple[float, float]:
    """Shares of resamples in which the chosen tasks, and all of them, have the leaderboard's order."""
    drawn = np.zeros((RESAMPLES, len(board.models), len(board.tasks)))
    for t, task in enumerate(board.tasks):
        grids = _grids(board.items[task], board.models)
        for part, grid in sorted(grids.items()):
            rng = generator(seed, "leaderboard", task, part)
            n = grid.shape[1]
            for start in range(0, RESAMPLES, _AT_ONCE):
                counts = rng.multinomial(n, np.full(n, 1 / n), size=min(_AT_ONCE, RESAMPLES - start))
                drawn[start : start + len(counts), :, t] += counts @ grid.T / n / len(grids)
    ranked = drawn[:, order]

    def share(tasks: Sequence[int]) -> float:
        means = ranked[:, :, list(tasks)].mean(axis=2)
        return float(np.mean((-np.diff(means, axis=1) > _TIE).all(axis=1)))

    return share(chosen), share(range(len(board.tasks)))


_AT_ONCE = 100


def _grids(frame: pl.DataFrame, models: Sequence[str]) -> dict[str, F64]:
    """By part, scores of shape (models, items)."""
    grids = {}
    for (part,), rows in frame.group_by("part"):
        wide = rows.pivot(on="model", index="item", values="score").sort("item")
        grids[str(part)] = wide.select(models).to_numpy().T
    return grids


def _task_table(board: Leaderboard) -> ScoreTable:
    rows = [
        {"model": model, "item": task, "score": float(board.scores[i, t])}
        for i, model in enumerate(board.models)
        for t, task in enumerate(board.tasks)
    ]
    return ScoreTable.from_frame(pl.DataFrame(rows), limits=_UNBOUNDED)


@dataclass(frozen=True)
class _Answer:
    verdict: str
    p: float | None


def _answer(comparison: Comparison, upper: str, lower: str) -> _Answer:
    pair = next(pair for pair in comparison.primary.pairs if {pair.a, pair.b} == {upper, lower})
    names: Mapping[Verdict, str] = {Verdict.A_BETTER: "separated", Verdict.B_BETTER: "separated"}
    return _Answer(names.get(pair.verdict, pair.verdict.value), pair.p_adjusted)


def _neighbours(
    board: Leaderboard, upper: int, lower: int, over_tasks: Comparison, over_items: Comparison | None
) -> Neighbours:
    names = board.models[upper], board.models[lower]
    differences = board.scores[upper] - board.scores[lower]
    of_tasks = _answer(over_tasks, *names)
    of_items = None if over_items is None else _answer(over_items, *names)
    return Neighbours(
        upper=names[0],
        lower=names[1],
        difference=float(differences.mean()),
        tasks_won=int(np.sum(differences > _TIE)),
        tasks_lost=int(np.sum(differences < -_TIE)),
        over_tasks=of_tasks.verdict,
        p_over_tasks=of_tasks.p,
        least_p_over_tasks=min(1.0, 2.0 ** (1 - len(board.tasks)) * len(over_tasks.primary.pairs)),
        over_items=None if of_items is None else of_items.verdict,
        p_over_items=None if of_items is None else of_items.p,
    )
