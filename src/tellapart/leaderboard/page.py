"""The audit of a leaderboard for people: on the terminal, as a page and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from tellapart.cli.output import width
from tellapart.leaderboard.analysis import LeaderboardAudit
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section
from tellapart.report.tables import Cell, Span, Spans, Table, table, ticks_over
from tellapart.report.terminal import fitted_table

if TYPE_CHECKING:
    from rich.console import RenderableType

MOST_ROWS = 40
"""Models that a terminal shows."""

FEW = 3
"""So many models that may be the best are named; of more, only the number."""

_FIGURES = 40
"""Columns of a terminal that all but the names take."""


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


def terminal(audit: LeaderboardAudit, all_models: str = "--html FILE or --json") -> list[RenderableType]:
    """Show the sentences and the upper rows of the leaderboard; ``all_models`` has the others."""
    room = max(20, width() - _FIGURES)
    shown: list[RenderableType] = [*map(Text, lines(audit)), fitted_table(_models(audit, MOST_ROWS, room))]
    more = len(audit.models) - MOST_ROWS
    return [*shown, Text(f"{show.plural(more, 'more model')}: {all_models}")] if more > 0 else shown


def document(audit: LeaderboardAudit) -> Document:
    """Arrange the page and the Markdown."""
    first, *others = lines(audit)
    parts = [[task.task, show.count(task.parts)] for task in audit.tasks]
    return Document(
        "leaderboard: which neighbours are separated",
        first.removesuffix("."),
        (*others, *audit.notes),
        {"Models": show.count(len(audit.models)), "Tasks": show.count(len(audit.tasks))},
        (
            Section("neighbours", "Neighbours", tables=(_neighbours(audit),)),
            Section(
                "tasks",
                "Tasks",
                tables=(table("tasks", "Tasks", ["Task", "Splits and subsets"], parts),),
            ),
        ),
        differences=_ranks(audit),
    )


def _ranks(audit: LeaderboardAudit) -> Spans:
    """The table of models, with the ranks that each may have drawn."""
    models = _models(audit)
    rows = [
        Span(cells, model.rank, *model.rank_interval)
        for cells, model in zip(models.rows, audit.models, strict=True)
    ]
    ticks = ticks_over([1, len(rows)], lambda rank: f"{rank:.0f}", least=1.0)
    return Spans(models.name, models.title, models.columns, tuple(rows), ticks, note=models.note)


def _models(audit: LeaderboardAudit, most: int | None = None, room: int = 10_000) -> Table:
    rows: list[list[Cell | str]] = [
        [
            model.model
            if len(model.model) <= room
            else f"{model.model[: room // 2]}…{model.model[1 - room // 2 :]}",
            show.count(model.rank),
            Cell(show.decimal(model.mean, 4), strong=True),
            "–".join(map(show.count, dict.fromkeys(model.rank_interval))),
            show.count(model.tie_group),
        ]
        for model in audit.models[:most]
    ]
    note = (
        "Rank interval: the ranks that other tasks, drawn as these were, could give, all right at once with "
        f"{show.whole_percent(1 - audit.alpha)} confidence. No two models of a tie group are separated."
    )
    headings = ["Model", "Rank", "Mean", "Rank interval", "Tie group"]
    return table("models", "Models", headings, rows, note=note)


def _neighbours(audit: LeaderboardAudit) -> Table:
    rows: list[list[Cell | str]] = [
        [
            pair.upper,
            pair.lower,
            show.decimal(pair.difference, 4),
            f"{pair.tasks_won} to {pair.tasks_lost}",
            Cell(show.p_value(pair.p_adjusted), strong=pair.separated),
            "yes" if pair.separated else "no",
        ]
        for pair in audit.neighbours
    ]
    headings = ["Model", "Next", "Difference", "Tasks won and lost", "p", "Separated"]
    note = f"p is adjusted over all {show.plural(audit.pairs, 'pair')} of models."
    return table("neighbours", "Neighbours", headings, rows, note=note, words=2)
