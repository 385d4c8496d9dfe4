"""MTEB's results, and the predictions beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np
import polars as pl
from pydantic import BaseModel, ConfigDict

from tellapart.audit.reading import mteb as mteb_reader
from tellapart.audit.reading.mteb_task import UnknownTask, has_main_score, load_task
from tellapart.audit.reading.reader import Choices
from tellapart.core.progress import SILENT, Progress, counted
from tellapart.errors import InputError, UsageError
from tellapart.files import check_record, read_object

_META = "model_meta.json"
_ENDING = "_predictions.json"
_ROUNDING = 1e-5
"""MTEB rounds measures of rankings to five digits; a mean of rounded ones is off by no more."""


class _Part(BaseModel):
    """The scores of one subset; the other figures stay unread."""

    model_config = ConfigDict(extra="ignore")

    hf_subset: str
    main_score: float


class _Result(BaseModel):
    """A file of MTEB's results."""

    model_config = ConfigDict(extra="ignore")

    task_name: str
    scores: dict[str, list[_Part]]


@dataclass(frozen=True)
class Leaderboard:
    """Scores by model and task, and where there are predictions by item.

    Attributes:
        models: Ascending.
        tasks: Ascending; those on which every model has a score.
        scores: Shape (models, tasks): the mean of MTEB's main score over splits and subsets.
        parts: By task, its splits and subsets: ``subset/split``.
        items: By task a frame of ``model``, ``item``, ``part`` and ``score``, for tasks with predictions of
            every model; each item has a score for every model.
        notes: What was left out; sentences.
    """

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    scores: np.ndarray
    parts: Mapping[str, tuple[str, ...]]
    items: Mapping[str, pl.DataFrame]
    notes: tuple[str, ...]


def read_leaderboard(
    results: Sequence[Path],
    predictions: Sequence[Path] = (),
    tasks: Sequence[str] = (),
    *,
    progress: Progress = SILENT,
) -> Leaderboard:
    """Read results, and score predictions."""
    if tasks and not predictions:
        raise UsageError(
            "--mteb names tasks by which predictions are scored, and there are no predictions",
            next_step="Give them with --predictions FOLDER, or leave --mteb out",
        )
    by_model, parts = _results(results, progress)
    if len(by_model) < 2:
        whose = f"only of {next(iter(by_model))!r}" if by_model else "none"
        raise InputError(
            f"there are results {whose}, and it takes two models to compare",
            where=", ".join(map(str, results)),
            next_step="Give the folder that MTEB's ResultCache writes results into",
        )
    models = tuple(sorted(by_model))
    every = sorted({task for of_model in by_model.values() for task in of_model})
    common = tuple(task for task in every if all(task in by_model[model] for model in models))
    notes = []
    if len(common) < len(every):
        left = [task for task in every if task not in common]
        notes.append(f"Left out, since not every model has a score: {', '.join(left)}.")
    uneven = [task for task in common if len({frozenset(parts[model, task]) for model in models}) > 1]
    if uneven:
        raise InputError(
            f"models have scores on different splits or subsets of {uneven[0]!r}, so that its means differ "
            "in more than the model",
            next_step="Evaluate all of them on the same ones, or leave its files out",
        )
    if not common:
        raise InputError("there is no task on which every model has a score")
    scores = np.array([[by_model[model][task] for task in common] for model in models])
    parts_of = {task: tuple(sorted(parts[models[0], task])) for task in common}
    items: dict[str, pl.DataFrame] = {}
    if predictions:
        scored, refused = _scored_tasks(predictions, tasks, models, common, progress)
        _check_scores(scored, by_model)
        items, more = _items(scored, refused, models, common)
        notes += more
    return Leaderboard(models, common, scores, parts_of, items, tuple(notes))


_Parts = dict[tuple[str, str], dict[str, float]]


def _results(paths: Sequence[Path], progress: Progress) -> tuple[dict[str, dict[str, float]], _Parts]:
    """Scores by model and task, and their parts by model and task."""
    named: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for path in counted(list(_files(paths, "*.json")), progress, "reading results", unit="files"):
        whole = read_object(path)
        if "task_name" not in whole or "scores" not in whole:
            continue
        result = check_record(whole, _Result, path, "result of MTEB")
        values = {
            f"{part.hf_subset}/{split}": part.main_score
            for split, of_split in result.scores.items()
            for part in of_split
        }
        if not values or not np.isfinite(list(values.values())).all():
            raise InputError(
                f"the task {result.task_name!r} has no main score, or not a finite one", where=path
            )
        tasks = named.setdefault(_model_of(path), {})
        if result.task_name in tasks:
            raise InputError(
                f"the task {result.task_name!r} has two results of one model",
                where=path,
                next_step="Give the results of one run, or leave one of the files out",
            )
        tasks[result.task_name] = values
    several = {name for name, _ in named if sum(other == name for other, _ in named) > 1}
    labels = {key: f"{key[0]}@{key[1]}" if key[0] in several else key[0] for key in named}
    means = {
        labels[key]: {task: float(np.mean(list(values.values()))) for task, values in tasks.items()}
        for key, tasks in named.items()
    }
    return means, {(labels[key], task): v for key, tasks in named.items() for task, v in tasks.items()}


def _model_of(path: Path) -> tuple[str, str]:
    """Name and revision, as ``model_meta.json`` beside a result says, else as its folders are called."""
    meta = path.parent / _META
    if meta.is_file():
        record = read_object(meta)
        if isinstance(record.get("name"), str):
            return record["name"], str(record.get("revision"))
    folder = path.resolve().parent
    if "__" in folder.parent.name:
        return folder.parent.name.replace("__", "/", 1), folder.name
    return folder.name, ""


def _files(paths: Sequence[Path], pattern: str) -> Iterator[Path]:
    for path in paths:
        if not path.exists():
            raise InputError("there is no such file or directory", where=path)
        yield from (
            sorted(file for file in path.rglob(pattern) if file.name != _META) if path.is_dir() else [path]
        )


def _scored_tasks(
    paths: Sequence[Path],
    references: Sequence[str],
    models: Sequence[str],
    tasks: Sequence[str],
    progress: Progress,
) -> tuple[dict[str, pl.DataFrame], dict[str, str]]:
    """Scores by item of each task with predictions, and why items of the other ones cannot be scored."""
    reference_of = _references(references)
    frames: dict[str, list[pl.DataFrame]] = {}
    refused: dict[str, str] = {}
    files = list(_files(paths, f"*{_ENDING}"))
    if not any(path.name.removesuffix(_ENDING) in tasks for path in files):
        raise InputError(
            f"there are no predictions here of {', '.join(tasks)}",
            where=", ".join(map(str, paths)),
            next_step="Give the folder that was the prediction_folder of mteb.evaluate, or leave "
            "--predictions out to compare over tasks only",
        )
    for path in counted(files, progress, "scoring predictions", unit="files"):
        task = path.name.removesuffix(_ENDING)
        if task not in tasks or task in refused:
            continue
        try:
            frames.setdefault(task, []).append(_scored(path, reference_of.get(task, task), models))
        except UsageError as error:
            refused[task] = error.what
    scored = {task: pl.concat(frames[task]) for task in sorted(frames) if task not in refused}
    for task, frame in scored.items():
        if frame.select("model", "item").is_duplicated().any():
            raise InputError(f"there are two files of predictions of one model for {task!r}")
    return scored, refused


def _items(
    scored: Mapping[str, pl.DataFrame],
    refused: Mapping[str, str],
    models: Sequence[str],
    tasks: Sequence[str],
) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """Items with a score for every model, of the tasks that every model has predictions of."""
    notes = [f"{task}: its items are not compared: {why}." for task, why in sorted(refused.items())]
    items = {}
    for task, frame in scored.items():
        if lacking := sorted(set(models) - set(frame["model"].unique())):
            notes.append(f"{task}: no predictions by {', '.join(lacking)}, so its items are not compared.")
            continue
        whole = frame.group_by("item").len().filter(pl.col("len") == len(models))["item"]
        if left := frame["item"].n_unique() - len(whole):
            notes.append(f"{task}: {left} items without a score for every model are left out.")
        items[task] = frame.filter(pl.col("item").is_in(whole.implode()))
    if without := [task for task in tasks if task not in items]:
        notes.append(f"Over items are compared the tasks with predictions, without {', '.join(without)}.")
    return items, notes


def _scored(path: Path, reference: str, models: Sequence[str]) -> pl.DataFrame:
    """Score a file: ``item``, ``part``, ``score`` and ``model``; experiments with one item count once."""
    try:
        labels = load_task(reference)
    except UnknownTask as error:
        raise UnknownTask(
            error.what,
            where=path,
            next_step="Give the module that has it: --mteb MODULE, with PYTHONPATH=. in front if it is "
            "beside you; or leave the file out",
        ) from None
    if not has_main_score(labels):
        raise UsageError(f"its main score, {labels.main_score}, is no mean over items")
    frame = mteb_reader.read(path, Choices(mteb=reference)).frame
    strata = [column for column in ("subset", "split") if column in frame.columns]
    part = pl.concat_str([pl.col(column) for column in strata], separator="/") if strata else pl.lit("")
    return (
        frame.group_by("item", part.alias("part"), maintain_order=True)
        .agg(pl.col("score").mean())
        .with_columns(model=pl.lit(_known(str(frame["model"][0]), path, models)))
    )


def _references(given: Sequence[str]) -> dict[str, str]:
    """Import modules of tasks, and give by name the reference of each task that was named by itself."""
    references = {}
    for reference in given:
        if ":" in reference:
            references[load_task(reference).name] = reference
        else:
            _import(reference)
    return references


def _import(module: str) -> None:
    try:
        import_module(module)
    except ImportError as error:
        raise InputError(
            f"the module {module!r} cannot be imported: {error}",
            next_step="A module beside you is found with PYTHONPATH=. in front",
        ) from error


def _known(model: str, path: Path, models: Sequence[str]) -> str:
    """The model's name in the results, with the revision where several have the name."""
    if model in models:
        return model
    meta = read_object(path).get("mteb_model_meta")
    revision = meta.get("revision") if isinstance(meta, dict) else None
    if f"{model}@{revision}" in models:
        return f"{model}@{revision}"
    raise InputError(
        f"these are predictions by {model!r}, of which there are no results; there are some of "
        f"{', '.join(models)}",
        where=path,
        next_step="Give the results of this model too, or leave its predictions out",
    )


def _check_scores(scored: Mapping[str, pl.DataFrame], scores: Mapping[str, Mapping[str, float]]) -> None:
    """Refuse predictions whose mean is not the score that the results have of their model.

    MTEB writes the predictions of a second model into the file of the first, under its name, so that each
    file is checked, also of a task of which another model has none.
    """
    for task, frame in scored.items():
        for model in sorted(frame["model"].unique()):
            values = frame.filter(model=model).group_by("part").agg(pl.col("score").mean())
            ours = float(np.mean(values["score"].to_list()))
            theirs = scores[model][task]
            if abs(ours - theirs) > _ROUNDING:
                raise InputError(
                    f"the predictions of {task!r} under the name {model!r} score {ours:.5f}, and its result "
                    f"is {theirs:.5f}: they are another model's, or of another version of the task",
                    next_step="Evaluate each model with a prediction_folder of its own; "
                    "tellapart.integrations.mteb.prediction_folder(PARENT, model) names one. Or leave the "
                    "file out",
                )
