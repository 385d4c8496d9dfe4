"""MTEB's results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from tellapart.core.progress import SILENT, Progress, counted
from tellapart.errors import InputError
from tellapart.files import check_record, read_object

_META = "model_meta.json"


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
    """Scores by model and task.

    Attributes:
        tasks: Ascending; those on which every model has a score.
        scores: Shape (models, tasks): the mean of MTEB's main score over splits and subsets.
        parts: By task, its splits and subsets: ``subset/split``.
        notes: What was left out; sentences.
    """

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    scores: np.ndarray
    parts: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...]


def read_leaderboard(results: Sequence[Path], *, progress: Progress = SILENT) -> Leaderboard:
    """Read results."""
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
    return Leaderboard(models, common, scores, parts_of, tuple(notes))


_Parts = dict[tuple[str, str], dict[str, float]]


def _results(paths: Sequence[Path], progress: Progress) -> tuple[dict[str, dict[str, float]], _Parts]:
    """Scores by model and task, and their parts by model and task."""
    named: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for path in counted(list(_files(paths)), progress, "reading results", unit="files"):
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


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.exists():
            raise InputError("there is no such file or directory", where=path)
        yield from (
            sorted(file for file in path.rglob("*.json") if file.name != _META) if path.is_dir() else [path]
        )
