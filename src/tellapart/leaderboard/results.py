"""What the audit of a leaderboard gives: what ``tellapart leaderboard --json`` prints."""

from __future__ import annotations

from tellapart.core.comparison import ComparisonRecord
from tellapart.core.record import Record


class RankedModel(Record):
    """A row of the leaderboard.

    Attributes:
        mean: Of its scores over the tasks.
        scores: By task, in the order of the tasks.
    """

    model: str
    mean: float
    scores: dict[str, float]


class TaskRecord(Record):
    """A column of the leaderboard.

    Attributes:
        task: Its name in MTEB.
        parts: Splits and subsets, whose scores have the same weight each.
        tau: Kendall's tau-b of its order of the models and the leaderboard's; None where one has no order.
    """

    task: str
    parts: int
    tau: float | None


class Neighbours(Record):
    """Two models that stand side by side.

    Attributes:
        upper: The better one by mean.
        difference: Of their means, 0 or more.
        tasks_won: Tasks on which the upper one is better.
        over_tasks: ``separated``, ``equivalent``, ``not_separated`` or ``withheld``, were other tasks drawn
            like these.
        p_over_tasks: Of no difference, adjusted over all pairs of models; None without a test.
        least_p_over_tasks: What the adjusted p of no result on so many tasks and models could be below.
    """

    upper: str
    lower: str
    difference: float
    tasks_won: int
    tasks_lost: int
    over_tasks: str
    p_over_tasks: float | None
    least_p_over_tasks: float


class SmallestTasks(Record):
    """The fewest tasks whose mean gives the order of all of them.

    Attributes:
        tasks: Of the sets of this size that keep the order, the one that leaves most room between neighbours.
        method: ``exhaustive``, every set was tried; or ``greedy``, tasks were left out one by one.
        keep: Sets of this size that keep the order; None where not every one was tried.
    """

    tasks: list[str]
    method: str
    keep: int | None
    sets: int


class LeaderboardRecord(Record):
    """The audit of a leaderboard.

    Attributes:
        models: Best first.
        tasks: In ascending order of names.
        neighbours: From the top down.
        smallest: The fewest tasks that keep the order; None where models tie, so that there is no order.
        comparison_over_tasks: Every pair of models, with the tasks as items.
        notes: What was left out and chosen; sentences.
    """

    models: list[RankedModel]
    tasks: list[TaskRecord]
    neighbours: list[Neighbours]
    smallest: SmallestTasks | None
    comparison_over_tasks: ComparisonRecord
    notes: list[str]
