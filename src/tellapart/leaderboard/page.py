"""The audit of a leaderboard for people: on the terminal, as a page and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from tellapart.leaderboard.results import LeaderboardRecord
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section
from tellapart.report.tables import Cell, Table, table, undefined
from tellapart.report.terminal import fitted_table

if TYPE_CHECKING:
    from rich.console import RenderableType

_WORDS = {
    "separated": "separated",
    "equivalent": "equivalent",
    "not_separated": "not separated",
    "withheld": "withheld",
}


def lines(record: LeaderboardRecord) -> list[str]:
    """Say what the leaderboard shows beyond its means, the verdict first; sentences."""
    pairs = record.neighbours
    of_tasks = [pair for pair in pairs if pair.over_tasks == "separated"]
    n = len(pairs)
    first = f"Other tasks like these would separate {len(of_tasks)} of {show.plural(n, 'pair')} of neighbours"
    sentences = [f"{first}."]
    alpha, least = record.comparison_over_tasks.alpha, pairs[0].least_p_over_tasks
    if least > alpha:
        tasks, models = show.plural(len(record.tasks), "task"), len(record.models)
        sentences.append(
            f"{tasks} cannot separate any two of {models} models over tasks: no result has an adjusted p "
            f"below {show.p_value(least)}."
        )
    if record.smallest is None:
        sentences.append("Models tie, so there is no order that fewer tasks could keep.")
        return sentences
    smallest = record.smallest
    if len(smallest.tasks) == len(record.tasks):
        sentences.append("No smaller set of tasks keeps the order.")
    else:
        how = {
            "exhaustive": f"; of {smallest.sets:,} sets of this size {smallest.keep:,} do",
            "greedy": ", found by leaving out one task at a time, so that a smaller one may do too",
        }
        verb = "keeps" if len(smallest.tasks) == 1 else "keep"
        sentences.append(
            f"{show.listed(smallest.tasks)} alone {verb} the order of "
            f"{show.plural(len(record.tasks), 'task')}{how[smallest.method]}."
        )
    return sentences


def tables(record: LeaderboardRecord) -> list[Table]:
    """Models, neighbours and tasks."""
    return [_models(record), _neighbours(record), _tasks(record)]


def terminal(record: LeaderboardRecord) -> list[RenderableType]:
    """Show the sentences and the tables."""
    return [Text(line) for line in lines(record)] + [fitted_table(part) for part in tables(record)]


def document(record: LeaderboardRecord) -> Document:
    """Arrange the page and the Markdown."""
    first, *others = lines(record)
    models, neighbours, tasks = tables(record)
    return Document(
        "leaderboard: which neighbours are separated",
        first.removesuffix("."),
        (*others, *record.notes),
        {"Models": str(len(record.models)), "Tasks": str(len(record.tasks))},
        (
            Section("neighbours", "Which neighbours are separated", tables=(neighbours,)),
            Section("models", "Scores", tables=(models,)),
            Section("tasks", "Tasks", tables=(tasks,)),
        ),
    )


def _models(record: LeaderboardRecord) -> Table:
    rows: list[list[Cell | str]] = [
        [
            model.model,
            Cell(show.decimal(model.mean, 4), strong=True),
            *(show.decimal(s, 4) for s in model.scores.values()),
        ]
        for model in record.models
    ]
    headings = ["Model", "Mean", *(task.task for task in record.tasks)]
    return table("models", "Main scores of MTEB", headings, rows)


def _neighbours(record: LeaderboardRecord) -> Table:
    rows: list[list[Cell | str]] = [
        [
            pair.upper,
            pair.lower,
            show.decimal(pair.difference, 4),
            f"{pair.tasks_won} to {pair.tasks_lost}",
            _cell(pair.over_tasks, pair.p_over_tasks, pair.over_tasks == "separated"),
        ]
        for pair in record.neighbours
    ]
    headings = ["Model", "Next", "Difference", "Tasks won and lost", "Over tasks"]
    note = (
        "Over tasks: would other tasks, drawn as these were, give the same? p is adjusted over all pairs of "
        "models."
    )
    return table("neighbours", "Neighbours", headings, rows, note=note, words=2)


def _cell(verdict: str, p: float | None, strong: bool) -> Cell:
    return Cell(_WORDS[verdict], "" if p is None else f"p {show.p_value(p)}", strong=strong)


def _tasks(record: LeaderboardRecord) -> Table:
    kept = set(record.smallest.tasks) if record.smallest else set()
    rows: list[list[Cell | str]] = [
        [
            task.task,
            show.count(task.parts),
            undefined("too few models, or all have the same score")
            if task.tau is None
            else show.decimal(task.tau, 2),
            "yes" if task.task in kept else "no",
        ]
        for task in record.tasks
    ]
    headings = ["Task", "Splits and subsets", "Agreement with the mean (τ)", "In the smallest set"]
    return table("tasks", "Tasks", headings, rows)
