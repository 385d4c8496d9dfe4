"""What a leaderboard separates over its tasks, and its smallest set of tasks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
import polars as pl

from tellapart.core.arrays import F64
from tellapart.core.comparison import Comparison, ComparisonSettings, comparison_record
from tellapart.core.comparison import compare as compare_models
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

_UNBOUNDED = (float("-inf"), float("inf"))
_TIE = 1e-9


def audit_leaderboard(board: Leaderboard, settings: ComparisonSettings | None = None) -> LeaderboardRecord:
    """Audit a leaderboard: would other tasks, drawn as these were, give the same?

    The tasks are the items of a comparison, with its correction over all pairs of models.
    """
    means = board.scores.mean(axis=1)
    order = sorted(range(len(board.models)), key=lambda i: (-means[i], board.models[i]))
    over_tasks = compare_models(_task_table(board), settings or ComparisonSettings())
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
                parts=len(board.parts[task]),
                tau=kendall_tau_b(board.scores[:, t][None], means[None])[0],
            )
            for t, task in enumerate(board.tasks)
        ],
        neighbours=[
            _neighbours(board, upper, lower, over_tasks)
            for upper, lower in zip(order, order[1:], strict=False)
        ],
        smallest=smallest_tasks(board),
        comparison_over_tasks=comparison_record(over_tasks),
        notes=list(board.notes),
    )


def smallest_tasks(board: Leaderboard) -> SmallestTasks | None:
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
            rooms = {tasks: _room(ranked, tasks) for tasks in combinations(range(n), size)}
            kept = {tasks: room for tasks, room in rooms.items() if room > _TIE}
            if kept:
                chosen, keep, sets = (
                    list(max(kept.items(), key=lambda tasks: tasks[1])[0]),
                    len(kept),
                    len(rooms),
                )
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
    return SmallestTasks(
        tasks=[board.tasks[t] for t in chosen],
        method=method,
        keep=count,
        sets=sets,
    )


def _room(ranked: F64, tasks: Sequence[int] | range) -> float:
    """The least distance between neighbours on some tasks, negative where one stands in the other's place."""
    means = ranked[:, list(tasks)].mean(axis=1)
    return float(np.min(-np.diff(means)))


def _task_table(board: Leaderboard) -> ScoreTable:
    rows = [
        {"model": model, "item": task, "score": float(board.scores[i, t])}
        for i, model in enumerate(board.models)
        for t, task in enumerate(board.tasks)
    ]
    return ScoreTable.from_frame(pl.DataFrame(rows), limits=_UNBOUNDED)


def _neighbours(board: Leaderboard, upper: int, lower: int, over_tasks: Comparison) -> Neighbours:
    names = board.models[upper], board.models[lower]
    differences = board.scores[upper] - board.scores[lower]
    pair = next(pair for pair in over_tasks.primary.pairs if {pair.a, pair.b} == {*names})
    return Neighbours(
        upper=names[0],
        lower=names[1],
        difference=float(differences.mean()),
        tasks_won=int(np.sum(differences > _TIE)),
        tasks_lost=int(np.sum(differences < -_TIE)),
        over_tasks="separated" if pair.is_separated else pair.verdict.value,
        p_over_tasks=pair.p_adjusted,
        least_p_over_tasks=min(1.0, 2.0 ** (1 - len(board.tasks)) * len(over_tasks.primary.pairs)),
    )
