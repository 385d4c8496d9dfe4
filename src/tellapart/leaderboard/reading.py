"""Leaderboards as they are published: results of MTEB, Every Eval Ever, HELM and SWE-bench, and tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.core.progress import SILENT, Progress, counted
from tellapart.errors import InputError, MissingExtra, UsageError, near_match, option
from tellapart.files import cannot_read, read_json, read_object
from tellapart.files.tables import kind_of, read_table
from tellapart.leaderboard.board import (
    OTHERS,
    Definition,
    Leaderboard,
    Published,
    Score,
    board_of,
    is_no_task,
    refuse_less_is_better,
)
from tellapart.readers.cells import read_cells, refuse_cell
from tellapart.readers.column_names import METRIC_COLUMNS, is_less_better, likely_columns, written
from tellapart.readers.in_memory import sources

_META = "model_meta.json"
_METRIC = " · "
_LOWER = "Left out, since lower scores are better"
_SPREADS = "Read without their spreads, such as ± 1.3"
_SPREAD = r"^\s*([+-]?[\d.,]+\s*%?)\s*(±|\+/-|\+-)\s*[\d.,]+\s*%?\s*$"
_NO_RESULTS = "Left out, since these files are no results"
_MODEL = ("model", "models", "model_name", "name", "system", "method", "submission")
_TASK = ("task", "task_name", "benchmark", "dataset", "item")


def read_leaderboard(
    results: Any,
    *,
    tasks: Sequence[str] = (),
    benchmark: str | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Progress = SILENT,
) -> Leaderboard:
    """Read a leaderboard; what may be given says `tellapart.api.leaderboard`.

    Raises:
        InputError: No form is known, or something could be read in two ways.
    """
    published, forms = Published(), set[str]()
    given = sources(results, "the leaderboard")
    where = ", ".join(map(str, given))
    for source in given:
        if not isinstance(source, Path):
            forms.add("table")
            _read_frame(source.frame, where, published, columns or {}, tasks)
    files = [file for source in given if isinstance(source, Path) for file in _files(source)]
    for path in counted(files, progress, "reading results", unit="files"):
        form = _read_file(path, published, benchmark, columns or {}, tasks)
        if form is None:
            published.left_out[_NO_RESULTS].append(path.name)
        else:
            forms.add(form)
    if not forms:
        raise InputError(
            "there are no results of a leaderboard",
            where=where,
            next_step="Give those of MTEB, Every Eval Ever, HELM or SWE-bench, or a table in CSV, TSV or "
            "Parquet with a row for each model",
        )
    if "Every Eval Ever" in forms:
        _settle_metrics(published, where, tasks)
    is_of_mteb = benchmark is not None and "SWE-bench" not in forms
    return board_of(published, where, tasks, _mteb_definition(benchmark or "") if is_of_mteb else None)


def _files(path: Path) -> Iterator[Path]:
    if not path.exists():
        raise cannot_read(path)
    if not path.is_dir():
        yield path
    yield from (f for f in sorted(path.rglob("*.json")) if f.name != _META and f.is_file())


# Published results, by the marks that only they have.


def _read_file(
    path: Path, published: Published, board: str | None, columns: Mapping[str, str], tasks: Sequence[str]
) -> str | None:
    """Read a file and name its form; None for other files."""
    if path.suffix != ".json":
        kind = kind_of(path)
        if kind is not None:
            _read_frame(read_table(path, kind), str(path), published, columns, tasks)
        return None if kind is None else "table"
    whole = read_json(path)
    parts = whole if isinstance(whole, list) else [whole]
    keys = parts[0].keys() if parts and isinstance(parts[0], dict) else set()
    form = next((form for form, (marks, _) in _FORMS.items() if keys >= marks), None)
    if form is None or (isinstance(whole, list) and form != "HELM"):
        return None
    before = len(published.scores)
    try:
        _FORMS[form][1](path, parts if form == "HELM" else whole, published, board)
        for model, task, value, *_ in published.scores[before:]:
            if not (isinstance(model, str) and isinstance(task, str)):
                raise TypeError(f"{model!r} and {task!r} name a model and a task")
            if isinstance(value, bool) or not isinstance(value, int | float | None):
                raise TypeError(f"the score of {model} on {task} is {value!r}, expected a number")
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise InputError(f"damaged, or of another version of {form}: {error}", where=path) from None
    return form


def _read_mteb(path: Path, whole: dict[str, Any], published: Published, board: str | None) -> None:
    """Read a task of a model, which ``model_meta.json`` names, or its folder."""
    folder, meta = path.resolve().parent, path.parent / _META
    model, revision = folder.name, ""
    if meta.is_file() and (record := read_object(meta)).get("name"):
        model, revision = str(record["name"]), str(record.get("revision"))
    elif "__" in folder.parent.name:
        model, revision = folder.parent.name.replace("__", "/", 1), folder.name
    published.scores += [
        Score(model, whole["task_name"], of.get("main_score"), f"{of['hf_subset']}/{split}", revision)
        for split, subsets in whole["scores"].items()
        for of in subsets
    ]


def _mteb_definition(benchmark: str) -> Definition:
    """The tasks of a benchmark with their splits and subsets, as MTEB defines them."""
    if find_spec("mteb") is None:
        raise MissingExtra(option("benchmark", benchmark), "mteb")
    import mteb

    names = [definition.name for definition in mteb.get_benchmarks()]
    if benchmark not in names:
        raise UsageError(f"MTEB has no benchmark {benchmark!r}", next_step=near_match(benchmark, names))
    return {
        task.metadata.name: frozenset(
            f"{sub}/{split}" for sub in task.hf_subsets for split in task.eval_splits
        )
        for task in mteb.get_benchmark(benchmark).tasks
    }


def _read_every_eval_ever(path: Path, whole: dict[str, Any], published: Published, board: str | None) -> None:
    """Read the evaluations of a model; a task is an evaluation with its metric."""
    for result in whole["evaluation_results"]:
        metric = result["metric_config"]
        name = metric.get("metric_name") or metric.get("metric_id")
        task = _METRIC.join([result["evaluation_name"], *([name] if name else [])])
        if metric["lower_is_better"]:
            published.left_out[_LOWER].append(task)
            continue
        score = result["score_details"].get("score")
        is_unknown = metric.get("has_unknown_level") and score == -1
        published.scores.append(Score(whole["model_info"]["id"], task, None if is_unknown else score))


def _settle_metrics(published: Published, where: str, tasks: Sequence[str]) -> None:
    """Name evaluations without their metric; refuse those with several, which would count several times."""
    labels: dict[str, dict[str, None]] = defaultdict(dict)
    for score in published.scores:
        name = score.task.partition(_METRIC)[0]
        if score.value is not None and not is_no_task(name):
            labels[name][score.task] = None
    several = {name: list(of) for name, of in labels.items() if len(of) > 1}
    if several and not tasks:
        name, of = next(iter(several.items()))
        raise InputError(
            f"{name!r} has several metrics: {', '.join(of)}",
            where=where,
            next_step=f"Name tasks: {option('tasks', [several.get(name, [name])[0] for name in labels])}",
        )
    published.scores = [
        score if (name := score.task.partition(_METRIC)[0]) in several else score._replace(task=name)
        for score in published.scores
    ]


def _read_helm(path: Path, tables: list[dict[str, Any]], published: Published, board: str | None) -> None:
    """Read a table of groups: the one on accuracy where there are several."""
    chosen = [table for table in tables if table["title"].casefold() == "accuracy"] or tables
    if len(chosen) > 1:
        raise InputError(
            f"there are several tables: {', '.join(table['title'] for table in tables)}",
            where=path,
            next_step="Give the file of one of them from the folder json beside it",
        )
    header = chosen[0]["header"]
    declared = any("run_group" in head.get("metadata", {}) for head in header)
    for i, head in enumerate(header[1:], start=1):
        task = str(head["value"])
        is_task = "run_group" in head.get("metadata", {}) or not declared
        if not is_task or head.get("lower_is_better"):
            published.left_out[_LOWER if is_task else OTHERS].append(task)
            continue
        published.scores += [Score(row[0]["value"], task, row[i].get("value")) for row in chosen[0]["rows"]]


def _read_swe_bench(path: Path, whole: dict[str, Any], published: Published, board: str | None) -> None:
    """Read the submissions to one board whose instances are published; the instances are the tasks."""
    detailed = {
        of["name"]: [result for result in of["results"] if result.get("per_instance_details")]
        for of in whole["leaderboards"]
    }
    boards = [name for name, results in detailed.items() if len(results) > 1]
    if not boards or board not in (boards if len(boards) > 1 else [*boards, None]):
        raise InputError(
            "it has outcomes of instances for " + (" and ".join(boards) or "no board; one share is no table"),
            where=path,
            next_step=f"Choose one: {option('benchmark', boards[0])}"
            if boards
            else "Give files of outcomes to: audit",
        )
    for result in detailed[board or boards[0]]:
        outcomes = {task: float(of["resolved"]) for task, of in result["per_instance_details"].items()}
        share = 100 * sum(outcomes.values()) / len(outcomes)
        if abs(share - result["resolved"]) > 1:
            reason = "Left out, since its instances do not give the share that it states"
            published.left_out[reason].append(f"{result['name']} ({share:g} for {result['resolved']:g})")
            continue
        published.scores += [Score(result["name"], task, value) for task, value in outcomes.items()]


_FORMS: dict[str, tuple[set[str], Callable[[Path, Any, Published, str | None], None]]] = {
    "HELM": ({"header", "rows"}, _read_helm),
    "MTEB": ({"task_name", "scores"}, _read_mteb),
    "Every Eval Ever": ({"schema_version", "model_info", "evaluation_results"}, _read_every_eval_ever),
    "SWE-bench": ({"leaderboards"}, _read_swe_bench),
}
"""By form, the keys that only it has, and what reads it."""


# Tables.


def _check_metrics(frame: pl.DataFrame, where: str) -> None:
    """Refuse rows whose metric is one of which less is better."""
    for name in (name for name in frame.columns if written(name) in METRIC_COLUMNS):
        metrics = frame[name].drop_nulls().cast(pl.String).unique().sort().to_list()
        if metrics and all(map(is_less_better, metrics)):
            refuse_less_is_better(metrics, where)


def _read_frame(
    frame: pl.DataFrame, where: str, published: Published, columns: Mapping[str, str], tasks: Sequence[str]
) -> None:
    """Read a row for each score, for each task where their column is named, or for each model."""
    if frame.is_empty():
        raise InputError("this table has no rows", where=where)
    for role, column in columns.items():
        if role not in ("model", "task"):
            what = f"a column of a leaderboard can be named for 'model' or 'task', not {role!r}"
            raise UsageError(what, next_step=f"Write {option('columns', {'model': column})}")
        if column not in frame.columns:
            what = f"there is no column {column!r}"
            raise InputError(what, where=where, next_step=near_match(column, frame.columns))
    means = [of for name in frame.columns if (of := _without_spreads(frame[name])) is not None]
    published.left_out[_SPREADS] += [of.name for of in means]
    frame = frame.with_columns(means).rename({column: role for role, column in columns.items()})
    roles = {
        "model": [name for name in frame.columns if written(name) in _MODEL],
        "task": [name for name in frame.columns if written(name) in _TASK],
        "score": likely_columns("score", frame.columns),
    }
    if "task" in columns and "model" not in columns:
        cells = {name: read_cells(frame[name]) for name in frame.columns if name != "task"}
        scores = [of.scores.alias(name) for name, of in cells.items() if of.are_scores]
        rows = frame.select("task", *scores).unpivot(index="task", variable_name="model", value_name="score")
    elif all(len(names) == 1 for names in roles.values()):
        rows = frame.select(pl.col(names[0]).alias(role) for role, names in roles.items())
        _check_metrics(frame, where)
    else:
        return _read_row_a_model(frame, where, published, tasks)
    again = rows.filter(rows.select("model", "task").is_duplicated())
    if len(again):
        raise InputError(
            f"several rows are of the model {again['model'][0]!r} and the task {again['task'][0]!r}",
            where=where,
            next_step="Keep one row for each model and task",
        )
    if (cells_of := read_cells(rows["score"])).wrong.any():
        raise refuse_cell(rows["score"], cells_of, where)
    rows = rows.select(pl.col("model", "task").cast(pl.String), cells_of.scores.alias("score"))
    published.scores += [Score(model, task, score) for model, task, score in rows.iter_rows()]


def _without_spreads(values: pl.Series) -> pl.Series | None:
    """The means of a column of means with spreads, such as ``71.2 ± 1.3``; None of another column."""
    if values.dtype != pl.String:
        return None
    means = values.str.replace(_SPREAD, "${1}")
    return means if (means != values).any() and read_cells(means).are_scores else None


def _read_row_a_model(frame: pl.DataFrame, where: str, published: Published, tasks: Sequence[str]) -> None:
    """Read the columns of tasks that are named, or those that hold numbers and do not look like others."""
    model = _model_column(frame, where)
    models = frame[model].cast(pl.String)
    if written(model) not in _MODEL:
        turned = option("columns", {"task": model})
        note = f"{model!r} names the models (if it names tasks: {turned})"
        published.left_out[note] += models.head(5).to_list()
    again = models.filter(models.is_duplicated() | models.is_null())
    if len(again):
        raise InputError(
            f"several rows, or one without a name, are of the model {again[0]!r}",
            where=where,
            next_step="Keep one row for each model",
        )
    for values in frame.drop(model):
        cells = read_cells(values)
        if values.name not in tasks and (tasks or not cells.are_mostly_scores):
            continue
        is_flag = values.dtype == pl.Boolean or not values.cast(pl.String).str.contains(r"\d").any()
        is_rank = sorted(cells.scores.drop_nulls()) == list(range(1, len(values) + 1))
        if not tasks and (is_flag or is_rank):
            published.left_out[OTHERS].append(values.name)
            continue
        if cells.wrong.any():
            raise refuse_cell(values, cells, where)
        published.scores += [
            Score(of, values.name, score) for of, score in zip(models, cells.scores, strict=True)
        ]


def _model_column(frame: pl.DataFrame, where: str) -> str:
    """The column that names the models: one called so, or the only one of text."""
    named = [name for name in frame.columns if written(name) in _MODEL]
    texts = [c.name for c in frame.select(pl.col(pl.String)) if not read_cells(c).are_mostly_scores]
    of_tasks = [name for name in texts if written(name) in _TASK and name != "item"]
    if of_tasks:
        raise InputError(
            f"rows are of tasks, in the columns {', '.join(frame.columns[:5])}",
            where=where,
            next_step=f"If each other column is a model: {option('columns', {'task': of_tasks[0]})}; "
            "else give a table with a row for each model, or with columns model, task and score",
        )
    chosen = named if len(named) == 1 else ["item"] if "item" in texts else texts
    if len(chosen) == 1:
        return chosen[0]
    first = ", ".join(chosen or frame.columns[:5])
    what = (
        f"which of {first} names the models is not clear"
        if chosen
        else f"no column names the models: {first}"
    )
    example = option("columns", {"model": (chosen or frame.columns)[0]})
    raise InputError(
        what, where=where, next_step=f"Name it{'' if chosen else ', if there is one'}: {example}"
    )
