"""The audit of a leaderboard as a report."""

from __future__ import annotations

from tellapart.leaderboard.analysis import LeaderboardAudit
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section
from tellapart.report.figures import cell, labels
from tellapart.report.tables import Cell, Column, Span, Spans, Table, table, ticks_over

FEW = 3
"""So many models that may be the best are named; of more, only the number."""


def lines(audit: LeaderboardAudit) -> list[str]:
    """Say which models may be the best, then what else the leaderboard shows beyond its means; sentences."""
    n, tasks = len(audit.neighbours), show.plural(len(audit.tasks), "task")
    separated = [pair for pair in audit.neighbours if pair.separated]
    which = "; ".join(f"{pair.upper} above {pair.lower}" for pair in separated)
    verb = "separates" if len(audit.tasks) == 1 else "separate"
    neighbours = [f"{tasks} {verb} {len(separated)} of {show.plural(n, 'pair')} of neighbours."]
    if 0 < len(separated) < min(n, 4):
        neighbours.append(f"Separated: {which}.")
    if audit.least_p > audit.alpha:
        return [
            f"{tasks} cannot separate any two of {len(audit.models)} models: no result has an adjusted p "
            f"below {show.p_value(audit.least_p)}.",
            *neighbours,
        ]
    apart = sum(len(model.better_than) for model in audit.models)
    best = [model.model for model in audit.models if model.rank_interval[0] == 1]
    named = show.listed(best, "or") if len(best) <= FEW else f"Any of {len(best)} models"
    return [
        f"Only {best[0]} may be the best: every other model is shown to be worse than one."
        if len(best) == 1
        else f"{named} may be the best: none is shown to be worse than another.",
        *neighbours,
        f"All in all {show.count(apart)} of {show.plural(audit.pairs, 'pair')} are separated, and the models "
        f"fall into {show.plural(audit.models[-1].tie_group, 'tie group')}.",
    ]


def document(audit: LeaderboardAudit) -> Document:
    """Arrange the report: the verdict and the models; neighbours and tasks behind it."""
    first, *others = lines(audit)
    parts = [[task.task, show.count(task.parts)] for task in audit.tasks]
    tasks = table("tasks", "Tasks", ["Task", "Splits and subsets"], parts)
    return Document(
        "leaderboard: which neighbours are separated",
        first.removesuffix("."),
        (*others, *audit.notes),
        {"Models": show.count(len(audit.models)), "Tasks": show.count(len(audit.tasks))},
        (
            Section("neighbours", "Neighbours", tables=(_neighbours(audit),)),
            Section("tasks", "Tasks", tables=(tasks,)),
        ),
        differences=_models(audit),
    )


def _models(audit: LeaderboardAudit) -> Spans:
    """The models, with the ranks that each may have drawn."""
    rows = [
        Span(
            (
                Cell(model.model),
                cell("rank", model.rank),
                cell("task_mean", model.mean),
                Cell("–".join(map(show.count, dict.fromkeys(model.rank_interval)))),
                cell("tie_group", model.tie_group),
            ),
            model.rank,
            model.rank_interval,
        )
        for model in audit.models
    ]
    note = (
        "Rank interval: the ranks that other tasks, drawn as these were, could give, all right at once with "
        f"{show.whole_percent(1 - audit.alpha)} confidence. No two models of a tie group are separated."
    )
    heads = labels(["rank", "task_mean", "rank_interval", "tie_group"])
    columns = (Column("Model", numeric=False), *map(Column, heads))
    ticks = ticks_over([1, len(rows)], lambda rank: f"{rank:.0f}", least=1.0)
    return Spans("models", "Models", columns, tuple(rows), ticks, note=note)


def _neighbours(audit: LeaderboardAudit) -> Table:
    rows: list[list[Cell | str]] = [
        [
            pair.upper,
            pair.lower,
            cell("task_difference", pair.difference),
            f"{pair.tasks_won} to {pair.tasks_lost}",
            cell("p_adjusted", pair.p_adjusted),
            "yes" if pair.separated else "no",
        ]
        for pair in audit.neighbours
    ]
    difference, p, separated = labels(["task_difference", "p_adjusted", "separated"])
    heads = [difference, "Tasks won and lost", p, separated]
    note = f"Adjusted p is over all {show.plural(audit.pairs, 'pair')} of models."
    return table("neighbours", "Neighbours", ["Model", "Next", *heads], rows, note=note, words=2)
