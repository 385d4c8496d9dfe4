"""Leaderboards as they are published, as tables and as frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.core.progress import SILENT, Progress, counted
from tellapart.errors import InputError, UsageError, near_match, option, quoted
from tellapart.files import read_json
from tellapart.files.tables import kind_of, read_table
from tellapart.leaderboard import forms
from tellapart.leaderboard.board import OTHERS, Leaderboard, Published, Score, board_of
from tellapart.readers.cells import read_cells, refuse_cell
from tellapart.readers.column_names import likely_columns
from tellapart.readers.in_memory import as_polars

_MODEL = ("model", "models", "model_name", "model name", "name", "system", "method", "submission")
_TASK = ("task", "task_name", "task name", "benchmark", "dataset")


def read_leaderboard(
    results: Any,
    *,
    tasks: Sequence[str] = (),
    benchmark: str | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Progress = SILENT,
) -> Leaderboard:
    """Read a leaderboard.

    Args:
        results: A path, or a list of paths, of results of MTEB or Every Eval Ever, tables of HELM's groups,
            SWE-bench's ``leaderboards.json``, or tables in CSV, TSV or Parquet; a frame, where an index of
            text names the models; or ``{model: {task: score}}``. Tables and frames have a row for each model,
            or columns called ``model``, ``task`` and ``score``.
        tasks: Those that stay; models without a score on one are left out. All that every model has if empty.
        benchmark: Of MTEB, whose definition chooses tasks, splits and subsets; or a board of SWE-bench.
        columns: Where it is not clear which column of a table names the models, ``{"model": name}``.
        progress: Receives how many files are read.

    Raises:
        InputError: No form is known, or something could be read in two ways.
    """
    published, read = Published(), set[str]()
    paths = [results] if isinstance(results, str | Path) else results
    if isinstance(paths, list | tuple) and all(isinstance(path, str | Path) for path in paths):
        where = ", ".join(map(str, paths))
        for path in counted(
            list(_files([Path(path) for path in paths])), progress, "reading results", unit="files"
        ):
            form = None
            if path.suffix == ".json":
                form = forms.read_form(path, read_json(path), published, benchmark)
            elif (kind := kind_of(path)) is not None:
                form = "table"
                _read_frame(read_table(path, kind), str(path), published, columns or {}, tasks)
            if form is not None:
                read.add(form)
            else:
                published.left_out["Left out, since these files are no results"].append(path.name)
        if not read:
            raise InputError(
                "there are no results of a leaderboard",
                where=where,
                next_step="Give those of MTEB, Every Eval Ever, HELM or SWE-bench, or a table in CSV, TSV or "
                "Parquet with a row for each model",
            )
    else:
        where = "the leaderboard"
        _read_frame(_frame(results), where, published, columns or {}, tasks)
    if "Every Eval Ever" in read:
        forms.settle_metrics(published, where, tasks)
    is_of_mteb = benchmark is not None and "SWE-bench" not in read
    return board_of(published, where, tasks, forms.mteb_definition(benchmark or "") if is_of_mteb else None)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.exists():
            raise InputError("there is no such file or directory", where=path)
        if not path.is_dir():
            yield path
        yield from (f for f in sorted(path.rglob("*.json")) if f.name != forms.META and f.is_file())


def _frame(results: Any) -> pl.DataFrame:
    if isinstance(results, Mapping):
        if not all(isinstance(row, Mapping) for row in results.values()):
            return pl.DataFrame(results)
        rows = [{"model": model, **row} for model, row in results.items()]
        return pl.from_dicts(rows, infer_schema_length=None)
    if isinstance(results, list | tuple) and all(isinstance(row, Mapping) for row in results):
        return pl.from_dicts(results, infer_schema_length=None)
    if hasattr(results, "index") and hasattr(results, "iloc"):
        frame = results if hasattr(results, "columns") else results.rename("score").to_frame()
        if frame.index.nlevels > 1 or frame.index.name is not None:
            frame = frame.reset_index()
        elif frame.index.dtype.kind == "O":
            frame = frame.reset_index(names="model")
        return pl.from_pandas(frame)
    frame = as_polars(results)
    if frame is None:
        raise UsageError(
            f"results are {quoted(results)}, expected paths, a frame, or {{model: {{task: score}}}}"
        )
    return frame


def _read_frame(
    frame: pl.DataFrame, where: str, published: Published, columns: Mapping[str, str], tasks: Sequence[str]
) -> None:
    """Read the columns of tasks, or those that hold numbers and do not look like something else."""
    frame = _wide(frame, where)
    model = _model_column(frame, where, columns)
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


def _wide(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """A row for each model, of a table with columns that are called model, task and score, or the like."""
    by_role = [[c for c in frame.columns if c.casefold() in names] for names in (_MODEL, _TASK)]
    by_role.append(likely_columns("score", frame.columns))
    if not all(len(found) == 1 for found in by_role):
        return frame
    (model,), (task,), (score,) = by_role
    again = frame.filter(frame.select(model, task).is_duplicated())
    if len(again):
        raise InputError(
            f"several rows are of the model {again[model][0]!r} and the task {again[task][0]!r}",
            where=where,
            next_step="Keep one row for each model and task",
        )
    return frame.pivot(on=task, index=model, values=score)


def _column(frame: pl.DataFrame, name: str, where: str) -> pl.Series:
    if name not in frame.columns:
        raise InputError(
            f"there is no column {name!r}", where=where, next_step=near_match(name, frame.columns)
        )
    return frame[name]


def _model_column(frame: pl.DataFrame, where: str, columns: Mapping[str, str]) -> str:
    if "model" in columns:
        return _column(frame, columns["model"], where).name
    named = [name for name in frame.columns if name.casefold() in _MODEL]
    texts = [c.name for c in frame.select(pl.col(pl.String)) if not read_cells(c).are_mostly_scores]
    chosen = named if len(named) == 1 else texts
    if any(name.casefold() in _TASK for name in texts):
        raise InputError(
            f"rows are of tasks, in the columns {', '.join(frame.columns[:5])}",
            where=where,
            next_step="Give a table with a row for each model, or with columns model, task and score",
        )
    if not chosen:
        raise InputError(
            f"no column names the models; there are {', '.join(frame.columns[:5])}",
            where=where,
            next_step=f"Name it, if there is one: {option('columns', {'model': frame.columns[0]})}",
        )
    if len(chosen) > 1:
        raise InputError(
            f"which of {', '.join(chosen)} names the models is not clear",
            where=where,
            next_step=f"Name it: {option('columns', {'model': chosen[0]})}",
        )
    return chosen[0]
