"""What a leaderboard separates over its tasks: ranks with their intervals, and groups of ties."""

from __future__ import annotations

import numpy as np

from tellapart.audit.ranking import ranks_of
from tellapart.core.comparison import ComparisonSettings, claims
from tellapart.core.comparison.effects import states_grid
from tellapart.core.comparison.pair_tests import run_tests
from tellapart.core.comparison_settings import ALPHA
from tellapart.core.progress import SILENT, Progress
from tellapart.core.record import Record
from tellapart.leaderboard.board import Leaderboard


class RankedModel(Record):
    """A row of the leaderboard.

    Attributes:
        rank: From 1; models with equal means share the best rank.
        rank_interval: Best and worst rank that the separated pairs leave; simultaneous over all models.
        tie_group: From 1, the top down; no two models of a group are separated.
        better_than: Models that it is separated from and better than.
        scores: By task.
    """

    rank: int
    model: str
    mean: float
    rank_interval: tuple[int, int]
    tie_group: int
    better_than: tuple[str, ...]
    scores: dict[str, float]


class Neighbours(Record):
    """Two models that stand side by side; ``difference`` is of their means, 0 or more.

    Attributes:
        tasks_won: Tasks on which the upper one is better.
        p_adjusted: Of no difference, adjusted over all pairs of models.
    """

    upper: str
    lower: str
    difference: float
    tasks_won: int
    tasks_lost: int
    separated: bool
    p_adjusted: float


class Task(Record):
    """A column of the leaderboard; ``parts`` counts splits and subsets, which have the same weight."""

    task: str
    parts: int


class LeaderboardAudit(Record):
    """The audit of a leaderboard.

    Attributes:
        models: Best first.
        neighbours: From the top down.
        tasks: In ascending order of names.
        alpha: Chance of any false claim over the pairs.
        notes: What was left out; sentences.
    """

    models: tuple[RankedModel, ...]
    neighbours: tuple[Neighbours, ...]
    tasks: tuple[Task, ...]
    alpha: float
    notes: tuple[str, ...]

    @property
    def pairs(self) -> int:
        """Pairs of models, all of which are corrected together."""
        return len(self.models) * (len(self.models) - 1) // 2

    @property
    def least_p(self) -> float:
        """What the adjusted p of no result on so many tasks and models could be below."""
        return min(1.0, 2.0 ** (1 - len(self.tasks)) * self.pairs)


def audit_leaderboard(board: Leaderboard, *, progress: Progress = SILENT) -> LeaderboardAudit:
    """Audit a leaderboard: would other tasks, drawn as these were, give the same order?

    The tasks are the items of a comparison of every two models, with Holm's correction over all pairs. Rank
    intervals are as in `tellapart.audit.ranking.rank`.
    """
    means, models = board.scores.mean(axis=1).tolist(), board.models
    ranks = [rank or 0 for rank in ranks_of(means)]
    order = sorted(range(len(means)), key=lambda i: (ranks[i], models[i]))
    beats, p_adjusted = _compared(board, progress)
    groups = _tie_groups(order, beats)
    return LeaderboardAudit(
        models=tuple(
            RankedModel(
                rank=ranks[i],
                model=models[i],
                mean=means[i],
                rank_interval=(1 + int(beats[:, i].sum()), len(order) - int(beats[i].sum())),
                tie_group=groups[i],
                better_than=tuple(models[j] for j in order if beats[i, j]),
                scores=dict(zip(board.tasks, board.scores[i].tolist(), strict=True)),
            )
            for i in order
        ),
        neighbours=tuple(
            Neighbours(
                upper=models[i],
                lower=models[j],
                difference=means[i] - means[j],
                tasks_won=int(np.count_nonzero(board.scores[i] > board.scores[j])),
                tasks_lost=int(np.count_nonzero(board.scores[i] < board.scores[j])),
                separated=bool(beats[i, j]),
                p_adjusted=float(p_adjusted[i, j]),
            )
            for i, j in zip(order, order[1:], strict=False)
        ),
        tasks=tuple(Task(task=task, parts=len(board.parts[task])) for task in board.tasks),
        alpha=ALPHA,
        notes=board.notes,
    )


def _compared(board: Leaderboard, progress: Progress) -> tuple[np.ndarray, np.ndarray]:
    """Shape (models, models): whether the first is separated from and better than the second; adjusted p."""
    # Equivalence over tasks is not reported, and its tests take as long as those of differences.
    no_margin = ComparisonSettings(sesoi=1e-300)
    tested = run_tests(states_grid(board.scores), no_margin, progress=progress)
    every = tested.differences
    beats = np.zeros((len(board.models),) * 2, dtype=bool)
    p_adjusted = np.ones(beats.shape)
    p_values = [None if np.isnan(p) else p for p in tested.p.tolist()]
    for at, claim in zip(tested.pairs, claims(p_values, alpha=ALPHA), strict=True):
        i, j, difference = every.first[at], every.second[at], every.difference[at]
        p_adjusted[i, j] = p_adjusted[j, i] = 1.0 if claim.p_adjusted is None else claim.p_adjusted
        if claim.holds and difference:
            beats[(i, j) if difference > 0 else (j, i)] = True
    return beats, p_adjusted


def _tie_groups(order: list[int], beats: np.ndarray) -> dict[int, int]:
    """Number groups from the top down; one ends before the first model that one of its models beats."""
    groups: dict[int, int] = {}
    current: list[int] = []
    number = 1
    for i in order:
        if beats[current, i].any():
            number, current = number + 1, []
        current.append(i)
        groups[i] = number
    return groups
