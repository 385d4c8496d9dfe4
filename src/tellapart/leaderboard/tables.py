"""A plain table with a row for each model."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tellapart.errors import InputError, near_match
from tellapart.leaderboard.board import OTHERS, Published, Score
from tellapart.readers.cells import read_cells, refuse_cell

_MODEL = ("model", "models", "model_name", "model name", "name", "system", "method", "submission")
_TASK = ("task", "task_name", "task name", "benchmark", "dataset", "metric")


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
        is_flag = values.dtype == pl.Boolean or not values.cast(pl.String).str.contains(r"\d").any()
        if not tasks and (is_flag or numbers == list(range(1, len(models) + 1))):
            published.left_out[OTHERS].append(name)
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
