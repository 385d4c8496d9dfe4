"""A plain table with a row for each model."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from tellapart.audit.reading.cells import read_cells, refuse_cell
from tellapart.errors import InputError, near_match
from tellapart.leaderboard.board import Published, Score

_MODEL = ("model", "models", "model_name", "model name", "name", "system", "method", "submission")
_TASK = ("task", "task_name", "task name", "benchmark", "dataset", "metric")
_NO_TASKS = re.compile(
    r"#|no|nr|n|count|rank(ing)?|borda.*|position|place|(macro |micro )?(mean|average|avg|median)"
    r"( score| accuracy| tasks?| task ?type| win rate| rank)?|overall( score| average)?|total( score)?"
    r"|(active |total |number of |model )?(params?|parameters|size)|(embedding |embed )?(dims?|dimensions?)"
    r"|max(imum)? (tokens|length|seq(uence)? length)|context( length| window)?|memory( usage)?|vram|price"
    r"|cost|latency|speed|time|runtime|tokens?|date|year|votes|elo|zero shot|unnamed.*|index"
    r"|.* (rank|std|stderr|cost|latency)"
)
"""Columns that are no tasks, in small letters, without brackets and signs."""


def is_no_task(name: str) -> bool:
    """Whether the name of a column says that it is a rank, a mean, a size, a price or the like."""
    words = re.sub(r"\(.*?\)|\[.*?\]|[^\w#]|_", " ", name.casefold())
    return _NO_TASKS.fullmatch(" ".join(words.split())) is not None


def read_frame(
    frame: pl.DataFrame, where: str, published: Published, model: str | None, tasks: Sequence[str]
) -> None:
    """Read the columns of tasks, or those that hold numbers and do not look like something else."""
    model = _model_column(frame, where, model)
    models = frame[model].cast(pl.String)
    twice = models.filter(models.is_duplicated() | models.is_null())
    if len(twice):
        raise InputError(
            f"several rows, or one without a name, are of the model {twice[0]!r}",
            where=where,
            next_step="Keep one row for each model",
        )
    for name in tasks or [name for name in frame.columns if name != model]:
        values = _column(frame, name, where)
        cells = read_cells(values)
        if not tasks and not cells.are_mostly_scores:
            continue
        numbers = sorted(cells.scores.drop_nulls())
        is_flag = values.dtype == pl.Boolean or cells.words is not None
        if not tasks and (is_flag or is_no_task(name) or numbers == list(range(1, len(models) + 1))):
            published.left_out["Left out, since these columns do not look like tasks"].append(name)
            continue
        if cells.wrong.any():
            raise refuse_cell(values, cells, where)
        published.scores += [Score(of, name, score) for of, score in zip(models, cells.scores, strict=True)]


def _column(frame: pl.DataFrame, name: str, where: str) -> pl.Series:
    if name not in frame.columns:
        raise InputError(
            f"there is no column {name!r}", where=where, next_step=near_match(name, frame.columns)
        )
    return frame[name]


def _model_column(frame: pl.DataFrame, where: str, model: str | None) -> str:
    if model is not None:
        return _column(frame, model, where).name
    named = [name for name in frame.columns if name.casefold() in _MODEL]
    texts = [c.name for c in frame.select(pl.col(pl.String)) if not read_cells(c).are_mostly_scores]
    chosen = named if len(named) == 1 else texts
    if any(name.casefold() in _TASK for name in texts):
        raise InputError(
            f"rows are of tasks, in the columns {', '.join(frame.columns[:5])}",
            where=where,
            next_step="Give a table with a row for each model and a column for each task",
        )
    if len(chosen) != 1:
        raise InputError(
            f"which of {', '.join(texts or frame.columns)} names the models is not clear",
            where=where,
            next_step=f"Name it: --columns model={(texts or frame.columns)[0]}",
        )
    return chosen[0]
